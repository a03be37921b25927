package safety

// The lists of the tripwire. They are functions with switches and not maps, so that nothing can change them.

// bannedWord says why a word is refused wherever it stands in code, as a class, a function or a member.
func bannedWord(name string) string {
	switch name {
	case "HTTPRequest", "HTTPClient", "StreamPeerTCP", "StreamPeerTLS", "StreamPeerSocket", "StreamPeerUDS",
		"TCPServer", "UDPServer", "UDSServer", "SocketServer", "PacketPeerUDP", "PacketPeerDTLS", "DTLSServer",
		"WebSocketPeer", "WebSocketMultiplayerPeer", "ENetConnection", "ENetMultiplayerPeer", "ENetPacketPeer",
		"WebRTCPeerConnection", "WebRTCMultiplayerPeer", "WebRTCDataChannel", "UPNP", "UPNPDevice":
		return "uses the network"
	case "JavaScriptBridge", "JavaClassWrapper":
		return "runs code of another language"
	case "GDExtensionManager", "load_extension":
		return "loads a native library"
	case "str_to_var", "bytes_to_var_with_objects", "base64_to_variant", "allow_object_decoding":
		return "builds objects from data, which can bring code"
	case "Expression":
		return "runs a text as code"
	}
	return ""
}

// bannedMember says why a name behind a dot is refused, whatever it is a member of.
func bannedMember(name string) string {
	switch name {
	case "execute_with_pipe", "create_process", "open_with_program", "set_restart_on_exit":
		return "starts a program"
	case "shell_open", "shell_show_in_file_manager":
		return "hands a path or address to the desktop"
	case "set_environment", "unset_environment":
		return "changes the environment of the process"
	case "move_to_trash":
		return "removes files"
	case "restart_editor":
		return "ends the editor"
	case "set_plugin_enabled":
		return "enabling a plugin makes the editor run it"
	case "set_source_code":
		return "sets the code of a script"
	case "load_resource_pack":
		return "puts a package of files over the project"
	}
	return ""
}

// holder says whether a class holds members that are refused, and whether it is also used as the type of variables.
// One that is not may not be handed on at all.
func holder(name string) (isHolder, isType bool) {
	switch name {
	case "OS", "ClassDB", "IP":
		return true, false
	case "Engine", "FileAccess", "DirAccess", "ResourceLoader", "GDScript", "CSharpScript":
		return true, true
	}
	return false, false
}

// bannedOf says why a member of a certain class is refused. The names are too common to refuse them everywhere.
func bannedOf(class, member string) string {
	switch class {
	case "IP":
		return "uses the network"
	case "GDScript", "CSharpScript":
		if member == "new" {
			return "makes a script from text"
		}
	case "OS":
		switch member {
		case "execute", "create_instance":
			return "starts a program"
		case "kill", "crash":
			return "ends a process"
		}
		if bannedMember(member) == "" && dynamicMember(member) {
			return "reaches a member of OS by its name"
		}
	case "Engine", "ClassDB":
		if dynamicMember(member) {
			return "reaches a member of " + class + " by its name"
		}
	}
	return ""
}

// dynamicMember says whether a member of every object takes the name of another one.
func dynamicMember(member string) bool {
	switch member {
	case "call", "callv", "call_deferred", "get", "set", "bind", "connect":
		return true
	}
	return false
}

// nameArgument gives which argument of a call is the name of what it calls.
func nameArgument(name string) (nth int, dynamic bool) {
	switch name {
	case "call", "callv", "call_deferred", "call_deferred_thread_group", "call_thread_safe", "propagate_call":
		return 0, true
	case "Callable", "create", "call_group", "add_do_method", "add_undo_method":
		return 1, true
	case "call_group_flags":
		return 2, true
	}
	return 0, false
}

// pathArguments gives how many arguments of a method of FileAccess or DirAccess are paths, from the first on.
func pathArguments(member string) int {
	switch member {
	case "open", "open_encrypted", "open_encrypted_with_pass", "open_compressed", "file_exists",
		"get_file_as_bytes", "get_file_as_string", "get_md5", "get_sha256", "get_modified_time",
		"set_unix_permissions", "set_hidden_attribute", "set_read_only_attribute",
		"remove_absolute", "make_dir_absolute", "make_dir_recursive_absolute", "get_files_at", "get_directories_at",
		"dir_exists_absolute":
		return 1
	case "rename_absolute", "copy_absolute":
		return 2
	}
	return 0
}
