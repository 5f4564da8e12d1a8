// The same host as host.html, with the bridge of the protocol's own package: `make apps` bundles it.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

let view = null;
window.show = async (result, theme) => {
  view?.remove();
  view = document.createElement("iframe");
  view.sandbox = "allow-scripts allow-same-origin";
  view.style.cssText = "width: 46rem; height: 30rem; border: 0";
  view.src = "http://view.test/";
  document.body.append(view);
  const capabilities = { serverTools: {}, updateModelContext: { text: {} } };
  const bridge = new AppBridge(null, { name: "page", version: "1" }, capabilities, { hostContext: { theme } });
  bridge.oncalltool = async (params) => JSON.parse(await window.forward(JSON.stringify(params)));
  bridge.onupdatemodelcontext = async (params) => { await window.told(params.content[0].text); return {}; };
  bridge.addEventListener("initialized", async () => {
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result);
  });
  await bridge.connect(new PostMessageTransport(view.contentWindow, view.contentWindow));
};
