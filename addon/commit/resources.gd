extends RefCounted
## The appliers of resource files, registered together.

const Commit = preload("../commit.gd")
const CreateResource = preload("./create_resource.gd")
const DeleteFile = preload("./delete_file.gd")
const Disk = preload("../disk.gd")
const DuplicateFile = preload("./duplicate_file.gd")
const History = preload("../history.gd")
const MoveFile = preload("./move_file.gd")
const Properties = preload("../properties.gd")
const SaveResource = preload("./save_resource.gd")


## Registers them.
static func register(
	commit: Commit, disk: Disk, history: History, properties: Properties
) -> void:
	commit.register("create_resource", CreateResource.new(disk, history, properties))
	commit.register("save_resource", SaveResource.new(disk, history, properties))
	commit.register("delete_file", DeleteFile.new(disk, history))
	commit.register("duplicate_file", DuplicateFile.new(disk, history))
	commit.register("move_file", MoveFile.new(disk, history))
