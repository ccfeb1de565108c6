// A server of static files, as simple as the simplest that a page may be put on.
const kTypes = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Serves a folder under a path, on a port of its own of this machine. Gives { port, close }. */
export async function serve(folder, path) {
  const { promise: listening, resolve: on_listen } = Promise.withResolvers();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: on_listen }, async (request) => {
    const asked = decodeURIComponent(new URL(request.url).pathname);
    const name = asked.startsWith(path) ? asked.slice(path.length) : "";
    if (!/^[\w.-]+$/.test(name)) return new Response("not found", { status: 404 });
    try {
      const type = kTypes[name.split(".").pop()] ?? "application/octet-stream";
      return new Response(await Deno.readFile(`${folder}/${name}`), { headers: { "content-type": type } });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return new Response("not found", { status: 404 });
      throw error;
    }
  });
  const { port } = await listening;
  return { port, close: () => server.shutdown() };
}
