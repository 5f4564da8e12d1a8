# What a session begins with: how to edit files, or why the tools for it are missing.
if command -v keyhole >/dev/null 2>&1; then
  cat <<'END'
Change files with the `edit` tool of keyhole, not by rewriting them: quote the lines to replace, or name a function, section or key. Whitespace and line numbers need not be exact. Put edits that belong together into one call, and give each a reason. A refusal has changed nothing and says the next move. `undo` takes any edit back. The full name of `edit` here is `mcp__plugin_keyhole_keyhole__edit`.
END
else
  cat <<'END'
The plugin keyhole is loaded, but the program `keyhole` is not on the search path, so its tools are
missing. Go on with your own tools for editing, and tell the user once: install keyhole, for example
with `uv tool install WHEEL`, and start the session anew.
END
fi
exit 0
