package catalog

import "drawbridge/daemon/internal/tool"

// outcomes is about calls that were sent and whose answer did not come.
func outcomes() []tool.Spec {
	return []tool.Spec{{
		Name:    "command_outcome",
		Summary: "Ask what became of an earlier write, after may_have_applied.",
		Toolset: "core",
		Params: []tool.Param{
			{Name: "request_id", Kind: tool.String, Doc: "From the details of the failed call."},
			{Name: "idempotency_key", Kind: tool.String, Doc: "The earlier call's own."},
		},
		OneOf:   [][]string{{"request_id"}, {"idempotency_key"}},
		Settles: true,
		Example: tool.Example{Arguments: `{"request_id":"00000000-0000-0000-0000-000000000000"}`},
	}}
}
