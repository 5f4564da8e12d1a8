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
let held = null;

async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    do {
      again = false;
      const fresh = await fetched(location.href);
      const live = document.body.dataset.live;
      document.body.dataset.mark = fresh.body.dataset.mark;
      waiting(fresh);
      if (live === "timeline") offer(fresh);
      if (live === "changes" && fresh.querySelector(".head h1")) announce("changes", () => location.reload());
      if (live === "transaction") swap(find(".head"), document.adoptNode(fresh.querySelector(".head")));
      if (live === "list") swap(find("main"), document.adoptNode(fresh.querySelector("main")));
    } while (again);
  } catch { /* the stream tells when the server is back */ } finally { busy = false; }
}

// What the tab says of how much waits.
function waiting(fresh) {
  const nav = fresh.querySelector(".bar nav");
  const icon = fresh.querySelector('link[rel="icon"]');
  document.title = fresh.title;
  if (nav && !find(".bar nav").contains(document.activeElement)) find(".bar nav").replaceWith(document.adoptNode(nav));
  if (icon && find('link[rel="icon"]').getAttribute("href") !== icon.getAttribute("href")) find('link[rel="icon"]').replaceWith(document.adoptNode(icon));
}

// New rows do not push what is being read: they wait behind a button that says how many there are.
function offer(fresh) {
  const known = new Set(all("#items .row").map((row) => row.id));
  const count = Array.from(fresh.querySelectorAll("#items .row")).filter((row) => !known.has(row.id)).length;
  const reading = scrollY > 60 || find(".row.at") || find("#items")?.contains(document.activeElement);
  held = fresh;
  if (!count || !reading) { show_new(); return; }
  announce(count, show_new);
}

function announce(count, act) {
  let button = find("#news");
  if (!button) {
    button = document.createElement("button");
    button.id = "news";
    button.type = "button";
    button.className = "news";
    button.setAttribute("aria-live", "polite");
    find("main").prepend(button);
  }
  button.textContent = typeof count === "number" ? `${count} new` : "Something new: show it";
  button.onclick = act;
}

function show_new() {
  find("#news")?.remove();
  if (held) arrive(held);
  held = null;
}

// What is brought up to date under a reader's hands keeps the focus where it was.
const stops = (home) => [home, ...home.querySelectorAll("a, button, summary, input, select, [tabindex]")];

function swap(old, fresh) {
  const home = old.contains(document.activeElement) && document.activeElement.closest("[id]");
  const place = home ? stops(home).indexOf(document.activeElement) : -1;
  old.replaceWith(fresh);
  const there = home && document.getElementById(home.id);
  if (there) take_focus(stops(there)[place] || there);
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
  swap(find("#items"), items);
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
const hunks = () => all(".edit.hunk, #transaction .edit").filter((each) => each.offsetParent);
const files = () => all(".files > .file");

function move(step) {
  if (rows().length) choose(rows(), step, (row) => row.querySelector("a.title, a"));
  else choose(hunks(), step);
}

function choose(list, step, focused) {
  if (!list.length) return;
  const at = list.findIndex((each) => each.classList.contains("at"));
  const next = at < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + step, 0), list.length - 1);
  list[at]?.classList.remove("at");
  list[next].classList.add("at");
  // Quietly: a screen reader follows the focus, and the keys the mark.
  take_focus(focused?.(list[next]) || list[next]);
  list[next].scrollIntoView({ block: focused ? "nearest" : "center" });
  remember(list[next].id);
}

// A hunk or a file takes the focus too, so that Tab goes on from there.
function take_focus(target) {
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

// Next and previous: of transactions on one of them, of files where there are many.
function turn_page(step) {
  const way = find(step > 0 ? "#older-one" : "#newer");
  if (find("#transaction")) { if (way) location.assign(way.href); return; }
  if (files().length) { choose(files(), step); return; }
  const older = find(step > 0 ? "#older" : "#nothing");
  if (older) location.assign(older.href);
}

function open_chosen() {
  const link = find(".row.at a.title") || find("tr.at a") || find(".edit.at a.tx-id");
  if (link) location.assign(link.href);
}

function undo_chosen() {
  const target = find(".row.at")?.dataset.undo || find("main [data-undo]:not(.row)")?.dataset.undo;
  if (target) location.assign(target);
}

// Where the reader was on each page, for the way back.
function remember(id) {
  try { if (id) sessionStorage.setItem(`at:${location.pathname}${location.search}`, id); } catch { /* no memory */ }
}

function recall() {
  let id = null;
  try { id = sessionStorage.getItem(`at:${location.pathname}${location.search}`); } catch { /* no memory */ }
  const row = id && document.getElementById(id);
  if (!row?.matches(".row, .file, .edit")) return;
  row.classList.add("at");
  const kind = performance.getEntriesByType("navigation")[0]?.type;
  if (kind === "back_forward") {
    take_focus(row.querySelector("a.title") || row);
    row.scrollIntoView({ block: "center" });
  }
}

// Marks of what was seen.
async function post(address, body) {
  const csrf = find('meta[name="csrf"]')?.content;
  if (!csrf) return null;
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Keyhole-Csrf": csrf },
    body: JSON.stringify(body),
  });
  return answer.json();
}

async function toggle_seen() {
  const row = find(".row.at[data-name]") || find("#transaction");
  if (!row?.dataset.name) return;
  const unseen = row.classList.contains("unseen");
  row.classList.toggle("unseen");
  await post("/api/seen", { ids: [row.dataset.name], seen: unseen }).catch(() => null);
}

async function view_file(box) {
  const version = box.checked ? box.dataset.version : "";
  const file = box.closest(".file");
  file.classList.toggle("viewed", box.checked);
  all(".leaf").find((leaf) => leaf.dataset.leaf === box.dataset.view)?.classList.toggle("viewed", box.checked);
  const done = all(".file.viewed").length;
  if (find("#viewed")) find("#viewed").textContent = `${done} of ${files().length} viewed`;
  const said = await post("/api/view", { path: box.dataset.view, version }).catch(() => null);
  if (!said?.ok) { box.checked = !box.checked; file.classList.toggle("viewed", box.checked); }
}

// Files that are further down come when they are near.
async function load_file(file) {
  const address = file.dataset.load;
  if (!address) return;
  delete file.dataset.load;
  try {
    const fresh = await fetched(address);
    const made = fresh.querySelector(".file");
    if (!made) return;
    file.replaceWith(document.adoptNode(made));
    const leaf = all(".leaf").find((each) => `file-${each.dataset.leaf}` === made.id);
    const counts = made.querySelector(".filehead .counts");
    if (leaf && counts) leaf.querySelector(".counts").replaceWith(counts.cloneNode(true));
    ready(made);
  } catch { file.dataset.load = address; }
}

function ready(place) {
  place.querySelectorAll("[data-view]").forEach((box) => { box.disabled = false; });
}

function watch_files() {
  const near = new IntersectionObserver((seen) => {
    for (const each of seen) if (each.isIntersecting) { near.unobserve(each.target); load_file(each.target); }
  }, { rootMargin: "600px" });
  all(".file[data-load]").forEach((file) => near.observe(file));
}

const keys = {
  j: () => move(1), k: () => move(-1), n: () => turn_page(1), p: () => turn_page(-1),
  Enter: open_chosen, u: undo_chosen, m: toggle_seen, "/": () => find("#search")?.focus(),
  ".": () => find("#news")?.click(),
};

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
    if (said.ok && said.to) { location.assign(said.to); return; }
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
document.addEventListener("change", (event) => {
  if (event.target.closest(".verdict")) count();
  if (event.target.dataset.view) view_file(event.target);
});
document.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row && event.target.closest("a.title")) remember(row.id);
});
// Buttons wait for this script, so that none is pressed in vain.
all("form[data-post] button").forEach((button) => { button.disabled = false; });
find("#theme")?.addEventListener("click", turn);
find("#accept-all")?.addEventListener("click", () => decide_all("accept"));
find("#reject-all")?.addEventListener("click", () => decide_all("reject"));
ready(document);
recall();
watch_files();
count();
// A transaction that is looked at is seen.
const shown = find("#transaction")?.dataset.unseen;
if (shown) post("/api/seen", { ids: [shown] }).catch(() => null);
if (find("#live")) listen();
