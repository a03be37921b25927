package safety_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
)

// found gives the findings in short: pattern and line.
func found(code string) []string {
	out := []string{}
	for _, f := range safety.Tripwire(code) {
		out = append(out, fmt.Sprintf("%s:%d", f.Pattern, f.Line))
	}
	return out
}

// wires are codes with what is found in them.
func wires() map[string][]string {
	return map[string][]string{
		// Processes and the desktop.
		`OS.execute("ls", [])`:                    {"OS.execute:1"},
		"OS . execute(\"ls\", [])":                {"OS.execute:1"},
		"OS.\\\nexecute(\"ls\", [])":              {"OS.execute:1"},
		"OS\\\r\n.execute(\"ls\", [])":            {"OS.execute:1"},
		"f(OS\n\t# why\n\t.execute(\"ls\", []))":  {"OS.execute:1"},
		`var f := OS.execute`:                     {"OS.execute:1"},
		`var x := 1 / OS.execute("ls", [])`:       {"OS.execute:1"},
		`OS.create_process("ls", [])`:             {"create_process:1"},
		`OS.create_instance([])`:                  {"OS.create_instance:1"},
		`OS.kill(OS.get_process_id())`:            {"OS.kill:1"},
		`OS.crash("x")`:                           {"OS.crash:1"},
		`OS.execute_with_pipe("ls", [])`:          {"execute_with_pipe:1"},
		`OS.open_with_program("x", [])`:           {"open_with_program:1"},
		`OS.shell_open("https://example.org")`:    {"shell_open:1"},
		`OS.shell_show_in_file_manager("/")`:      {"shell_show_in_file_manager:1"},
		`OS.set_environment("A", "b")`:            {"set_environment:1"},
		`OS.move_to_trash("res://a")`:             {"move_to_trash:1"},
		`OS.set_restart_on_exit(true)`:            {"set_restart_on_exit:1"},
		`OS.call("exe" + "cute", "ls")`:           {"OS.call:1", "call:1"},
		`OS.get("execute").call("ls", [])`:        {"OS.get:1"},
		`OS["execute"].call("ls", [])`:            {"OS:1"},
		`var o = OS`:                              {"OS:1"},
		`other.create_process("ls", [])`:          {"create_process:1"},
		`Callable(OS, "get" + "_name").call()`:    {"Callable:1", "OS:1"},
		`Engine.get_singleton("OS").execute("l")`: {"get_singleton:1"},

		// The network.
		`HTTPRequest.new()`:                     {"HTTPRequest:1"},
		`$HTTPRequest.request("https://a.org")`: {"HTTPRequest:1"},
		`extends HTTPClient`:                    {"HTTPClient:1"},
		`var s: StreamPeerTCP`:                  {"StreamPeerTCP:1"},
		`TCPServer.new()`:                       {"TCPServer:1"},
		`PacketPeerUDP.new()`:                   {"PacketPeerUDP:1"},
		`WebSocketPeer.new()`:                   {"WebSocketPeer:1"},
		`ENetMultiplayerPeer.new()`:             {"ENetMultiplayerPeer:1"},
		`WebRTCPeerConnection.new()`:            {"WebRTCPeerConnection:1"},
		`IP.resolve_hostname("a.example.org")`:  {"IP.resolve_hostname:1"},

		// Other languages, libraries, objects from data, code from text.
		`JavaScriptBridge.eval("1")`:                {"JavaScriptBridge:1"},
		`JavaClassWrapper.wrap("x")`:                {"JavaClassWrapper:1"},
		`GDExtensionManager.load_extension("x")`:    {"GDExtensionManager:1", "load_extension:1"},
		`str_to_var("1")`:                           {"str_to_var:1"},
		`bytes_to_var_with_objects(b)`:              {"bytes_to_var_with_objects:1"},
		`Marshalls.base64_to_variant(b, true)`:      {"base64_to_variant:1"},
		`file.get_var(true)`:                        {"get_var:1"},
		`JSON.to_native(x, true)`:                   {"to_native:1"},
		`peer.allow_object_decoding = true`:         {"allow_object_decoding:1"},
		"var e := Expression.new()\ne.parse(\"1\")": {"Expression:1"},
		`GDScript.new()`:                            {"GDScript.new:1"},
		`var s = GDScript`:                          {"GDScript:1"},
		`CSharpScript.new()`:                        {"CSharpScript.new:1"},
		`s.source_code = "x"`:                       {"source_code:1"},
		`s.set_source_code("x")`:                    {"set_source_code:1"},
		`ProjectSettings.load_resource_pack("x")`:   {"load_resource_pack:1"},
		`load("user://x.gd").new()`:                 {"load:1"},
		`preload("/tmp/x.gd")`:                      {"preload:1"},
		`ResourceLoader.load("user://x.tres")`:      {"ResourceLoader.load:1"},
		`load("res://../x.gd")`:                     {"load:1"},

		// Calls and classes by a computed name.
		`obj.call(name)`:                                         {"call:1"},
		`obj.call("a" + b)`:                                      {"call:1"},
		`obj.call("%s" % b)`:                                     {"call:1"},
		`obj.callv(name, [])`:                                    {"callv:1"},
		`call_deferred(name)`:                                    {"call_deferred:1"},
		`get_tree().call_group("a", name)`:                       {"call_group:1"},
		`get_tree().call_group_flags(0, "a", name)`:              {"call_group_flags:1"},
		`Callable(obj, name)`:                                    {"Callable:1"},
		`Callable.create(obj, name)`:                             {"create:1"},
		`obj.call("execute", "ls")`:                              {"call:1"},
		`obj.call(&"shell_open", "x")`:                           {"call:1"},
		`obj.call("\u0065xecute", "ls")`:                         {"call:1"},
		`obj.call("\U000065xecute", "ls")`:                       {"call:1"},
		"obj.call(\"exe\\\ncute\")":                              {"call:1"},
		"obj.call(\"exe\\\r\ncute\")":                            {"call:1"},
		`get_tree().call_group("a")`:                             {"call_group:1"},
		`obj.call(r"execute", "ls")`:                             {"call:1"},
		`ClassDB.instantiate(name)`:                              {"ClassDB.instantiate:1"},
		`ClassDB.instantiate("HTTP" + "Request")`:                {"ClassDB.instantiate:1"},
		`ClassDB.instantiate("HTTPRequest")`:                     {"ClassDB.instantiate:1"},
		`ClassDB.class_call_static("OS", "execute")`:             {"ClassDB.class_call_static:1"},
		`ClassDB.class_call_static("A", b)`:                      {"ClassDB.class_call_static:1"},
		`Engine.get_singleton(name)`:                             {"get_singleton:1"},
		`Engine.get_singleton("JavaScript" + "Bridge")`:          {"get_singleton:1"},
		`Engine.call("get_singleton", "O" + "S")`:                {"Engine.call:1"},
		`var c = ClassDB`:                                        {"ClassDB:1"},
		`return Engine`:                                          {"Engine:1"},
		`use(DirAccess)`:                                         {"DirAccess:1"},
		`obj.call_group(f([1, 2], {"a": 3}), "ok", a)`:           nil,
		`obj.call_group(f([1, 2], {"a": 3}), the_name)`:          {"call_group:1"},
		"obj.call_group(" + strings.Repeat("a+", 80) + `a, "b")`: {"call_group:1"},

		// The editor, files, our own addon.
		`EditorInterface.restart_editor()`:                          {"restart_editor:1"},
		`EditorInterface.set_plugin_enabled("x", true)`:             {"set_plugin_enabled:1"},
		`ProjectSettings.set_setting("editor_plugins/enabled", [])`: {"editor_plugins:1"},
		`FileAccess.open("/etc/passwd", FileAccess.READ)`:           {"FileAccess.open:1"},
		`FileAccess.open("C:/x", FileAccess.WRITE)`:                 {"FileAccess.open:1"},
		`FileAccess.open("user://../x", FileAccess.WRITE)`:          {"FileAccess.open:1"},
		`FileAccess.open(path, FileAccess.WRITE)`:                   {"FileAccess.open:1"},
		`FileAccess.open(path, mode)`:                               {"FileAccess.open:1"},
		`FileAccess.get_file_as_string("/etc/passwd")`:              {"FileAccess.get_file_as_string:1"},
		`var f := FileAccess.open`:                                  {"FileAccess.open:1"},
		`DirAccess.remove_absolute("/tmp/x")`:                       {"DirAccess.remove_absolute:1"},
		`DirAccess.remove_absolute(path)`:                           {"DirAccess.remove_absolute:1"},
		`DirAccess.copy_absolute("res://a", "/tmp/a")`:              {"DirAccess.copy_absolute:1"},
		`DirAccess.open(path)`:                                      {"DirAccess.open:1"},
		`load("res://addons/drawbridge/plugin.gd")`:                 {"addon_path:1"},
		`DirAccess.remove_absolute('res://Addons/DrawBridge/x.gd')`: {"addon_path:1"},
		`x("""res://addons/drawbridge""")`:                          {"addon_path:1"},
		`x("res://\u0061ddons/drawbridge")`:                         {"addon_path:1"},

		// Every form of text and comment ends where the engine ends it: what stands behind it is code.
		`"" ; OS.crash("")`:                    {"OS.crash:1"},
		`"""a""" ; OS.crash("")`:               {"OS.crash:1"},
		`'''a''' ; OS.crash("")`:               {"OS.crash:1"},
		`"""a"b""c""" ; OS.crash("")`:          {"OS.crash:1"},
		`"a\"b" ; OS.crash("")`:                {"OS.crash:1"},
		`"a\\" ; OS.crash("")`:                 {"OS.crash:1"},
		`r"a\" ; b" ; OS.crash("")`:            {"OS.crash:1"},
		`r"a\\" ; OS.crash("")`:                {"OS.crash:1"},
		`r'''a\''' ; ''' ; OS.crash("")`:       {"OS.crash:1"},
		`&"a" ; OS.crash("")`:                  {"OS.crash:1"},
		`^"a" ; OS.crash("")`:                  {"OS.crash:1"},
		`$"a" ; OS.crash("")`:                  {"OS.crash:1"},
		`"'" ; OS.crash("")`:                   {"OS.crash:1"},
		`'"' ; OS.crash("")`:                   {"OS.crash:1"},
		`"#" ; OS.crash("")`:                   {"OS.crash:1"},
		"# \"\nOS.crash(\"\")":                 {"OS.crash:2"},
		"# '''\nOS.crash(\"\")":                {"OS.crash:2"},
		"# \\\nOS.crash(\"\")":                 {"OS.crash:2"},
		"\"a\nb\\\nc\" ; OS.crash(\"\")":       {"OS.crash:3"},
		"\ufeffOS.crash(\"\")":                 {"OS.crash:1"},
		"\"\"\"\n\n\"\"\"\n\n\nOS.crash(\"\")": {"OS.crash:6"},
		"a()\r\n# \"\r\nOS.crash(\"\")\r\nb()": {"OS.crash:3"},
		`0x1f_ffr ; OS.crash("")`:              {"OS.crash:1"},
		"OS.crash(1)\nOS.crash(2)\nIP.x; IP.x": {"OS.crash:1", "OS.crash:2", "IP.x:3"},

		// What readers of files may read differently is never waved through.
		`"a`:                       {"unreadable:1"},
		"a()\n\"\"\"b\n\"\" c":     {"unreadable:2"},
		`r"a\"`:                    {"unreadable:1"},
		"OS.exe\rcute()":           {"unreadable:1"},
		"OS.exe\x00cute()":         {"unreadable:1"},
		"\"\x00\"\"":               {"unreadable:1"},
		"\"\r\" OS":                {"unreadable:1", "OS:1"},
		"# a\rOS.crash()":          {"unreadable:1"},
		"a\vb":                     {"unreadable:1"},
		"var a = \"\xff\"":         {"unreadable:1"},
		"\"\xe2\"; OS.crash(\"\")": {"unreadable:1", "OS.crash:1"},

		// Plain code, texts and comments are not found.
		"":                     nil,
		`# OS.execute("ls")`:   nil,
		`"OS.execute()"`:       nil,
		`'OS.execute()'`:       nil,
		`"""OS.execute()"""`:   nil,
		`'''OS.execute()'''`:   nil,
		`r"OS.execute()\"OS"`:  nil,
		`&"OS.execute()"`:      nil,
		`^"OS/execute"`:        nil,
		"\"\nOS.execute()\n\"": nil,
		`$UI/OS.execute()`:     nil,
		`$OS.execute()`:        nil,
		"func f() -> void:\n\tvar a := 1\n\t# it's\n\tprint(a)": nil,
		`machine.execute(order)`:                                nil,
		`enemy.kill()`:                                          nil,
		`obj.call("queue_free")`:                                nil,
		`obj.call(&"f", x)`:                                     nil,
		`call_deferred("kill")`:                                 nil,
		`done.call()`:                                           nil,
		`Callable(self, "f")`:                                   nil,
		`Callable()`:                                            nil,
		`func call(name: String) -> void:`:                      nil,
		`ClassDB.instantiate("Node2D")`:                         nil,
		`ClassDB.class_exists(name)`:                            nil,
		`Engine.get_singleton("MyPlugin")`:                      nil,
		`Engine.is_editor_hint()`:                               nil,
		`OS.get_name() + OS.get_locale()`:                       nil,
		`load("res://a.gd")`:                                    nil,
		`load("uid://abc")`:                                     nil,
		`load(path)`:                                            nil,
		`preload("a.gd")`:                                       nil,
		`config.load("user://a.cfg")`:                           nil,
		`FileAccess.open("user://a", FileAccess.WRITE)`:         nil,
		`FileAccess.open("res://a", FileAccess.READ)`:           nil,
		`FileAccess.open(path, FileAccess.READ)`:                nil,
		`var f: FileAccess = null`:                              nil,
		`func f() -> DirAccess:`:                                nil,
		`FileAccess.file_exists(path)`:                          nil,
		`DirAccess.get_files_at(path)`:                          nil,
		`DirAccess.make_dir_absolute("user://a")`:               nil,
		`s.source_code == "x"`:                                  nil,
		`var f := file.get_var`:                                 nil,
		`obj.call("exe\tcute")`:                                 nil,
		`obj.call("\u00zzexecute")`:                             nil,
		`obj.call(r"\u0065xecute")`:                             nil,
		`file.get_var()`:                                        nil,
		`node.expression = 1`:                                   nil,
		`x("res://addons/other/a.gd")`:                          nil,
		`"a" if os else "b"`:                                    nil,
	}
}

func TestTripwire(t *testing.T) {
	for code, want := range wires() {
		t.Run(code, func(t *testing.T) {
			if want == nil {
				want = []string{}
			}
			assert.Equal(t, want, found(code))
		})
	}
}

// Code that hides from the tripwire, so that nobody takes it for a wall: none of these is found. Confirming, approval
// and the modes do not depend on it.
func TestTheTripwireIsNoBoundary(t *testing.T) {
	for code, how := range map[string]string{
		`const O = preload("res://alias.gd"); O.os.execute("ls", [])`: "another script handed OS on",
		`load("res://made.gd").new().go()`:                            "the code is in a file that was written before",
		`load("res:" + "//addons" + "/drawbridge/plugin.gd")`:         "the path is put together",
		`load(path_in_user_folder).new()`:                             "what is loaded is a variable",
		`get_node(p).set("script", load(q))`:                          "a script is attached by a plain setter",
		`var f: Callable = obj[n]; f.call()`:                          "the method is taken out by its name",
		`for m in obj.get_method_list(): obj[m.name].call()`:          "the method is found by looking",
		`a.b.connect(obj[n])`:                                         "a signal makes the call",
		`create_tween().tween_callback(obj[n])`:                       "a tween makes the call",
		`[FileAccess][0].open("/tmp/x", 2)`:                           "a class is handed on in a list",
		`ResourceSaver.save(r, "/tmp/x.tres")`:                        "another class writes",
		`Image.new().save_png(p)`:                                     "another class writes",
		`config.save("/tmp/x")`:                                       "another class writes",
		`while true: pass`:                                            "it just never ends",
		`get_tree().quit()`:                                           "it ends the process without OS",
	} {
		assert.Empty(t, found(code), how)
	}
}

func TestAFindingShowsItsPlace(t *testing.T) {
	f := safety.Tripwire("func f():\n\t\tOS.execute(\"\u202els\", []) # x\n")
	require.Len(t, f, 1)
	assert.Equal(t, safety.Finding{
		Pattern: "OS.execute", Line: 2, Text: `OS.execute("ls", []) # x`, Why: "starts a program",
	}, f[0])
	long := safety.Tripwire(strings.Repeat("a + ", 100) + "OS.crash(" + strings.Repeat("ü", 300) + ")")
	require.Len(t, long, 1)
	assert.True(t, strings.HasPrefix(long[0].Text, "OS.crash(ü"), long[0].Text)
	assert.Equal(t, 80, utf8.RuneCountInString(long[0].Text))
	assert.Len(t, safety.Tripwire(strings.Repeat("OS.crash()\n", 1000)), 100)
}

func TestATextThatIsTooLongCannotBeTold(t *testing.T) {
	long := strings.Repeat(" ", 4<<20)
	assert.Empty(t, safety.Tripwire(long))
	assert.Equal(t, []string{"unreadable:1"}, found(long+" "))
	assert.True(t, safety.IsToolScript(long+" "))
}

func TestIsToolScript(t *testing.T) {
	for code, want := range map[string]bool{
		"@tool":                            true,
		"@tool\nextends Node":              true,
		"\ufeff@tool":                      true,
		"@ tool":                           true,
		"@\\\ntool":                        true,
		"@\ntool":                          true,
		"# a\n\n@tool # b":                 true,
		"@icon(\"res://a.svg\") @tool":     true,
		"extends Node; @tool":              true,
		"\"\"\"a\"\"\" @tool":              true,
		"'a' @tool":                        true,
		"class_name A\n@tool":              true,
		"@tool@icon(\"x\")":                true,
		"\t@tool":                          true,
		"@tool\r\nextends Node":            true,
		"\"not ended":                      true,
		"'''not ended''":                   true,
		"a\x00b":                           true,
		"@to\rol":                          true,
		"\xff":                             true,
		"":                                 false,
		"extends Node":                     false,
		"# @tool":                          false,
		"\"@tool\"":                        false,
		"'@tool'":                          false,
		"\"\"\"\n@tool\n\"\"\"":            false,
		"'''@tool'''":                      false,
		"r\"@tool\\\" @tool\"":             false,
		"&\"@tool\"":                       false,
		"^\"@tool\"":                       false,
		"@tools":                           false,
		"@Tool":                            false,
		"@export_tool_button(\"x\") var a": false,
		"var tool = 1":                     false,
		"@ # tool":                         false,
		"@ \"tool\"":                       false,
	} {
		assert.Equal(t, want, safety.IsToolScript(code), "%q", code)
	}
}
