package harness

// carriersOfUnlisted names, for each tool that is not in the default list, the tool that calls it by name.
func carriersOfUnlisted() (map[string]string, error) {
	tools, err := Catalog()
	if err != nil {
		return nil, err
	}
	byClass := map[string]string{}
	for _, tool := range tools {
		if !tool.Carries || tool.Previews || tool.Batches {
			continue
		}
		for _, class := range tool.Calls {
			byClass[class] = tool.Name
		}
	}
	out := map[string]string{}
	for _, tool := range tools {
		if !tool.Listed {
			out[tool.Name] = byClass[tool.Class]
		}
	}
	return out, nil
}

// reach gives the call that a client makes to run a tool: by its own name when it is listed, else through a carrier.
func (c *Client) reach(tool string, args any) (string, any, error) {
	unlisted, err := c.carriers()
	if err != nil {
		return "", nil, err
	}
	if carrier := unlisted[tool]; carrier != "" {
		return carrier, map[string]any{"tool": tool, "arguments": args}, nil
	}
	return tool, args, nil
}
