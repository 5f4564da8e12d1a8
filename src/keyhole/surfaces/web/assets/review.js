// What the pages do beyond being read: keys, live arrival, and asking for changes.
// Nothing here makes HTML out of text: new rows come from the server and are moved over as nodes.
"use strict";

const root = document.documentElement;
const find = (selector) => document.querySelector(selector);
const all = (selector) => Array.from(document.querySelectorAll(selector));

// Light and dark: the system's choice until the reader makes one.
try {
  const kept = localStorage.getItem("theme");
  if (kept) root.dataset.theme = kept;
} catch { /* no storage, no memory */ }

function turn() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* as above */ }
}

// A page fetched as a document: scripts in it never run, and no text is parsed as markup here.
function fetched(address) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.onload = () => (request.status === 200 ? done(request.response) : failed(request.status));
    request.onerror = () => failed(0);
    request.send();
  });
}

// Live arrival.
let busy = false;
let again = false;

async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    do {
      again = false;
      const fresh = await fetched(location.href);
      document.body.dataset.mark = fresh.body.dataset.mark;
      const badge = fresh.querySelector(".bar nav");
      if (badge) find(".bar nav").replaceWith(document.adoptNode(badge));
      if (document.body.dataset.live === "timeline") arrive(fresh);
      if (document.body.dataset.live === "transaction") find(".head").replaceWith(document.adoptNode(fresh.querySelector(".head")));
      if (document.body.dataset.live === "list") find("main").replaceWith(document.adoptNode(fresh.querySelector("main")));
    } while (again);
  } catch { /* the stream tells when the server is back */ } finally { busy = false; }
}

function arrive(fresh) {
  const known = new Map(all("#items .row").map((row) => [row.id, row]));
  const chosen = find(".row.at")?.id;
  const items = document.adoptNode(fresh.getElementById("items"));
  for (const row of items.querySelectorAll(".row")) {
    const before = known.get(row.id);
    if (before?.dataset.state !== row.dataset.state) row.classList.add("arrived");
    // What arrived stays marked, also when more comes, but shows off only once.
    else if (before.classList.contains("arrived")) row.classList.add("arrived", "settled");
    if (row.id === chosen) row.classList.add("at");
  }
  find("#items").replaceWith(items);
  if (find("#items .row")) find("main > .empty")?.remove();
}

function listen() {
  const sign = find("#live");
  const stream = new EventSource("/events");
  stream.addEventListener("hello", (event) => {
    sign.className = "live on";
    sign.textContent = "live";
    if (event.data !== document.body.dataset.mark) refresh();
  });
  stream.addEventListener("change", refresh);
  stream.onerror = () => { sign.className = "live off"; sign.textContent = "offline"; };
}

// Keys.
const rows = () => all(".row:has(a.title), tr[data-open]");

function move(step) {
  const list = rows();
  if (!list.length) return;
  const at = list.findIndex((row) => row.classList.contains("at"));
  const next = at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1);
  list[at]?.classList.remove("at");
  list[next].classList.add("at");
  list[next].scrollIntoView({ block: "nearest" });
}

function open_chosen() {
  const link = find(".row.at a.title") || find("tr.at a");
  if (link) location.assign(link.href);
}

function undo_chosen() {
  const target = find(".row.at")?.dataset.undo || find("main [data-undo]:not(.row)")?.dataset.undo;
  if (target) location.assign(target);
}

const keys = { j: () => move(1), k: () => move(-1), Enter: open_chosen, u: undo_chosen, "/": () => find("#search")?.focus() };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "Escape") { typing?.blur(); return; }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});

// Changes: sent as JSON with the page's own token, naming what was shown.
async function send(form, extra) {
  const body = { ...JSON.parse(form.dataset.body), ...extra };
  const problem = form.querySelector(".problem");
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  try {
    const answer = await fetch(form.dataset.post, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Keyhole-Csrf": find('meta[name="csrf"]').content },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    if (said.ok) { location.assign(said.to); return; }
    problem.textContent = said.problem;
  } catch {
    problem.textContent = "The server does not answer.";
  }
  problem.hidden = false;
  buttons.forEach((button) => { button.disabled = false; });
}

function decisions() {
  const chosen = {};
  for (const input of all(".verdict input:checked")) chosen[input.name] = input.value === "accept";
  return chosen;
}

function count() {
  const button = find("#decide");
  if (!button) return;
  const made = Object.values(decisions());
  const left = new Set(all(".verdict input").map((input) => input.name)).size - made.length;
  const yes = made.filter(Boolean).length;
  button.disabled = left > 0;
  button.textContent = left ? `${left} to decide` : `Accept ${yes}, reject ${made.length - yes}`;
}

function decide_all(value) {
  for (const input of all(`.verdict input[value="${value}"]`)) input.checked = true;
  count();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.post) return;
  event.preventDefault();
  const words = Object.fromEntries(new FormData(form).entries());
  send(form, form.id === "decisions" ? { ...words, decisions: decisions() } : words);
});
document.addEventListener("change", (event) => { if (event.target.closest(".verdict")) count(); });
// Buttons wait for this script, so that none is pressed in vain.
all("form[data-post] button").forEach((button) => { button.disabled = false; });
find("#theme")?.addEventListener("click", turn);
find("#accept-all")?.addEventListener("click", () => decide_all("accept"));
find("#reject-all")?.addEventListener("click", () => decide_all("reject"));
count();
if (find("#live")) listen();
