package protocol

// Verdict says whether a save of the edited scene keeps a change: true, false, or null when nobody can say yet.
// Reason and hint are set unless it is true.
type Verdict struct {
	Target    string `json:"target"`
	Persisted *bool  `json:"persisted"`
	Reason    Reason `json:"reason,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

// Reason is why a change will not (or may not) survive a save. The set is closed.
type Reason string

// The reasons. The addon's persistence.gd decides which applies, for previews and real runs alike.
const (
	ReasonNodeNotOwned            Reason = "node_not_owned"
	ReasonInstanceNotEditable     Reason = "instanced_child_not_editable"
	ReasonFromInstance            Reason = "node_from_instance"
	ReasonInherited               Reason = "inherited_node"
	ReasonForeignResource         Reason = "embedded_in_other_resource"
	ReasonImported                Reason = "imported_resource"
	ReasonNotStored               Reason = "property_not_stored"
	ReasonNoPath                  Reason = "scene_has_no_path"
	ReasonGroupFromBase           Reason = "group_from_base_scene"
	ReasonGroupNotPersistent      Reason = "group_not_persistent"
	ReasonConnectionFromBase      Reason = "connection_from_base_scene"
	ReasonEditableFromBase        Reason = "editable_in_base_scene"
	ReasonConnectionNotPersistent Reason = "connection_not_persistent"
)

// ReasonInfo says what a reason means.
type ReasonInfo struct {
	Reason  Reason
	Meaning string
}

// Reasons lists every reason. It returns a fresh slice.
func Reasons() []ReasonInfo {
	return []ReasonInfo{
		{ReasonNodeNotOwned, "a node on the way to the root has no owner, so the scene file leaves it out"},
		{ReasonInstanceNotEditable, "a node on the way to the root belongs to an instance whose children are not editable"},
		{ReasonFromInstance, "the node comes from an instanced scene: removing, renaming or moving it is not saved"},
		{ReasonInherited, "the node comes from the base scene: removing, renaming or moving it is not saved"},
		{ReasonForeignResource, "the resource lives inside another scene, which a save of this one does not write"},
		{ReasonImported, "the resource is made by the importer and is never written back"},
		{ReasonNotStored, "the property is not stored in files"},
		{ReasonNoPath, "the scene was never saved, so there is no file yet"},
		{ReasonGroupFromBase, "the group is given by the base or instanced scene, and comes back at reload"},
		{ReasonGroupNotPersistent, "the node was added to the group for the time being only"},
		{ReasonConnectionFromBase, "the connection is made by the base or instanced scene, and comes back at reload"},
		{ReasonEditableFromBase, "the base or instanced scene makes these children editable itself"},
		{ReasonConnectionNotPersistent, "a script made the connection without the flag that has it saved"},
	}
}
