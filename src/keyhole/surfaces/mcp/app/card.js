"use strict";
// The view of a card: it speaks to the host by messages, and shows what the server drew.
(() => {
  const VERSION = "2026-01-26";
  const CARD = "keyhole/card";
  const LOOK = "review_card";
  const DECIDE = "review_decide";
  const card = document.getElementById("card");
  const problem = document.getElementById("problem");
  const open = new Map();
  let next = 1;
  let host = {};
  // The name and the secret of this card, and the hash of the diff that it shows.
  let own = null;
  let shown = "";

  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((done, failed) => {
    const id = next++;
    open.set(id, { done, failed });
    send({ id, method, params });
  });
  const words = (result) => (result.content || [])
    .filter((each) => each.type === "text").map((each) => each.text).join("\n");

  function complain(text) {
    problem.textContent = text;
    problem.hidden = !text;
  }

  function theme(context) {
    if (context && (context.theme === "light" || context.theme === "dark")) {
      document.documentElement.dataset.theme = context.theme;
    }
  }

  async function call(name, given) {
    const result = await ask("tools/call", { name, arguments: { ...own, ...given } });
    if (result.isError) throw new Error(words(result));
    return result.structuredContent;
  }

  function draw(found) {
    shown = found.shown;
    card.innerHTML = found.html;  // text is escaped where it is drawn, and no script runs by this
    card.dataset.state = found.state;
  }

  async function look(given) {
    draw(await call(LOOK, given));
  }

  // Without a card there is what the model sees too.
  function plain(result) {
    const text = document.createElement("pre");
    text.className = "answer";
    text.textContent = words(result);
    card.replaceChildren(text);
    card.dataset.state = "text";
  }

  async function arrived(result) {
    const meta = (result._meta || {})[CARD];
    if (!meta || !host.serverTools) return plain(result);
    own = { card: meta.name, secret: meta.secret };
    try {
      await look({});
    } catch (error) {
      plain(result);
      complain(error.message);
    }
  }

  async function act(word) {
    if (word === "undo") return look({ undo: true });
    if (word === "back") return look({});
    const done = await call(DECIDE, { decision: word, shown });
    draw(done);
    if (host.updateModelContext) {
      await ask("ui/update-model-context", { content: [{ type: "text", text: done.said }] });
    }
  }

  card.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-act]");
    if (!button) return;
    const all = [...card.querySelectorAll("button[data-act]")];
    all.forEach((each) => { each.disabled = true; });
    complain("");
    try {
      await act(button.dataset.act);
    } catch (error) {
      complain(error.message);
      all.forEach((each) => { each.disabled = false; });
    }
  });

  function told(message) {
    if (message.method === "ui/notifications/tool-result") arrived(message.params);
    else if (message.method === "ui/notifications/tool-cancelled") plain({ content: [] });
    else if (message.method === "ui/notifications/host-context-changed") theme(message.params);
    else if (message.id !== undefined) send({ id: message.id, result: {} });
  }

  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== "2.0") return;
    if (message.method) return told(message);
    const waiting = open.get(message.id);
    if (!waiting) return;
    open.delete(message.id);
    if (message.error) waiting.failed(new Error(message.error.message));
    else waiting.done(message.result);
  });

  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.documentElement);

  ask("ui/initialize", {
    protocolVersion: VERSION,
    appInfo: { name: "keyhole", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  }).then((answer) => {
    host = answer.hostCapabilities || {};
    theme(answer.hostContext);
    send({ method: "ui/notifications/initialized", params: {} });
  });
})();
