extends RefCounted
## The handlers, one line for each domain.

const HistoryReport = preload("../history_report.gd")
const Parts = preload("../parts.gd")

const BatchHandler = preload("./batch.gd")
const ClassHandler = preload("./class_info.gd")
const CrossSceneHandler = preload("./cross_scene.gd")
const EditorStateHandler = preload("./editor_state.gd")
const FilesystemHandler = preload("./filesystem.gd")
const HistoryHandler = preload("./history.gd")
const InputMapHandler = preload("./input_map.gd")
const InspectionHandler = preload("./inspection.gd")
const NodeFactsHandler = preload("./node_facts.gd")
const NodeHandler = preload("./node.gd")
const ProjectInfoHandler = preload("./project_info.gd")
const ProjectSettingsHandler = preload("./project_settings.gd")
const RecoveryHandler = preload("./recovery.gd")
const ResourceFileHandler = preload("./resource_files.gd")
const ResourceHandler = preload("./resources.gd")
const SceneBranchHandler = preload("./scene_branch.gd")
const SceneEditHandler = preload("./scene_edit.gd")
const SceneHandler = preload("./scene.gd")
const ScriptsHandler = preload("./scripts.gd")
const SignalHandler = preload("./signals.gd")
const StructureHandler = preload("./structure.gd")
const TraitHandler = preload("./traits.gd")


## Makes them all. Their public methods are the commands.
static func make(parts: Parts) -> Array[RefCounted]:
	return [
		ProjectSettingsHandler.new(parts.settings),
		InputMapHandler.new(parts.settings),
		FilesystemHandler.new(parts.scan),
		BatchHandler.new(),
		HistoryHandler.new(parts.history),
		InspectionHandler.new(parts.states, parts.properties),
		NodeHandler.new(parts.properties),
		ResourceHandler.new(parts.disk, parts.save_files, parts.properties),
		ResourceFileHandler.new(parts.save_files, parts.scenes),
		SceneHandler.new(parts.disk, parts.save_files, parts.lost),
		ScriptsHandler.new(),
		RecoveryHandler.new(parts.save_files),
		SceneBranchHandler.new(),
		SceneEditHandler.new(
			parts.disk, parts.save_files, parts.lost, parts.scenes, parts.promises
		),
		SignalHandler.new(),
		StructureHandler.new(parts.properties),
		TraitHandler.new(parts.properties),
		ClassHandler.new(),
		CrossSceneHandler.new(),
		EditorStateHandler.new(
			parts.scenes, HistoryReport.new(parts.undo, parts.history), parts.errors
		),
		NodeFactsHandler.new(parts.properties),
		ProjectInfoHandler.new(parts.settings),
	]
