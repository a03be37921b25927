extends RefCounted
## The commits of settings and of the project's files, registered together.

const Commit = preload("../commit.gd")
const History = preload("../history.gd")
const Rescan = preload("./rescan.gd")
const ScanWatch = preload("../files/scan_watch.gd")
const SettingPlan = preload("../settings/setting_plan.gd")
const Settings = preload("../settings/settings.gd")
const WriteSettings = preload("./write_settings.gd")


## Registers both.
static func register(
	commit: Commit, history: History, settings: Settings, scan: ScanWatch
) -> void:
	commit.register(SettingPlan.OP, WriteSettings.new(history, settings))
	commit.register("rescan", Rescan.new(history, scan))
