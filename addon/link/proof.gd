@tool
extends RefCounted
## The proofs of protocol/hello.go: each side shows the other that it knows the secret, without
## sending it.

const _ADDON: String = "drawbridge-addon"
const _DAEMON: String = "drawbridge-daemon"

var _crypto: Crypto = Crypto.new()


## A fresh random text of n bytes, in hex.
func nonce(n: int) -> String:
	return _crypto.generate_random_bytes(n).hex_encode()


## What this side shows.
func of_addon(secret: String, boot_nonce: String, client_nonce: String) -> String:
	return _proof(_ADDON, secret, boot_nonce, client_nonce)


## True when the daemon's proof is right. Takes the same time whether it is or not.
func is_daemons(shown: String, secret: String, boot_nonce: String, client_nonce: String) -> bool:
	var wanted: PackedByteArray = _proof(_DAEMON, secret, boot_nonce, client_nonce).to_utf8_buffer()
	return _crypto.constant_time_compare(wanted, shown.to_utf8_buffer())


func _proof(role: String, secret: String, boot_nonce: String, client_nonce: String) -> String:
	var message: String = "%s\n%s\n%s" % [role, boot_nonce, client_nonce]
	return (
		_crypto
		. hmac_digest(HashingContext.HASH_SHA256, secret.to_utf8_buffer(), message.to_utf8_buffer())
		. hex_encode()
	)
