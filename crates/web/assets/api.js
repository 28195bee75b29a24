// What the server is asked. All addresses are relative to the page, so the server may be below any path.

async function ask(method, path, body, signal) {
  const options = { method, signal };
  if (method === "POST") {
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body ?? {});
  }
  const response = await fetch(path, options);
  const text = await response.text();
  let answer = {};
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { error: text };
  }
  if (response.status === 409 && answer.changed) return answer;
  if (!response.ok) throw new Error(answer.error || `the server says ${response.status}`);
  return answer;
}

export const games = () => ask("GET", "api/games");
export const picture = (name) => ask("GET", `api/games/${encodeURIComponent(name)}/picture`);
export const look = (wanted) => ask("POST", "api/rules", wanted);
/** Opens a session. If `signal` is raised, the server ends the work for it. */
export const open = (wanted, signal) => ask("POST", "api/sessions", wanted, signal);
/** The matches in the folder that is watched. */
export const records = () => ask("GET", "api/records");
/** What is being done for the request with the ticket `ticket`. */
export const loading = (ticket) => ask("GET", `api/loading/${ticket}`);

export const studio = () => ask("GET", "api/studio");
export const template = (name) => ask("GET", `api/studio/templates/${encodeURIComponent(name)}`);
export const source = (name) => ask("GET", `api/studio/games/${encodeURIComponent(name)}`);
/** Saves a file of a game; the answer says if the file was changed by somebody else. */
export const save = (wanted) => ask("POST", "api/studio/save", wanted);

/** Asks about a text that is being written. */
export const inquire = (what, question) => ask("POST", `api/studio/ask/${what}`, question);

/** One session, by its id. */
export class Session {
  constructor(id) {
    this.path = `api/sessions/${encodeURIComponent(id)}`;
  }

  about = () => ask("GET", this.path);
  node = (number) => ask("GET", `${this.path}/nodes/${number}`);
  /** The squares that decided the match that ends with the state `number`. */
  deciding = (number) => ask("GET", `${this.path}/nodes/${number}/deciding`);
  tree = (from) => ask("GET", `${this.path}/tree?from=${from}`);
  record = (to) => ask("GET", `${this.path}/record?to=${to}`);
  act = (action, body) => ask("POST", `${this.path}/${action}`, body);

  /**
   * Tells `status` where the session stands, with the states from number `known()` on, until it is
   * closed; not while nobody looks.
   */
  listen(known, status, closed) {
    let source = null;
    const start = () => {
      if (source || document.hidden) return;
      source = new EventSource(`${this.path}/events?from=${known()}`);
      source.addEventListener("status", (event) => status(JSON.parse(event.data)));
      source.addEventListener("closed", () => {
        end();
        closed();
      });
    };
    const stop = () => {
      source?.close();
      source = null;
    };
    const change = () => (document.hidden ? stop() : start());
    const end = () => {
      document.removeEventListener("visibilitychange", change);
      stop();
    };
    document.addEventListener("visibilitychange", change);
    start();
    return end;
  }
}
