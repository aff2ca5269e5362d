#!/usr/bin/env node
// A provider of its own, on Node's http2 and crypto alone: an independent judge of the simulator, and an example of how
// to push to it.
//
//   tools/apns-client.mjs SIMULATOR.json [sandbox] < REQUESTS.json > ANSWERS.json
//
// SIMULATOR.json is the file that the simulator writes when it is ready. REQUESTS: [{method, path, headers, body}];
// `headers` lacks authorization: the client signs, unless the header is given ("" leaves it out).
// ANSWERS: [{status, reason, apnsId}], in order; status 0 = the stream was reset.
import { createPrivateKey, sign } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";

const place = JSON.parse(readFileSync(process.argv[2], "utf8"));
const requests = JSON.parse(readFileSync(0, "utf8"));
const base64url = (value) => Buffer.from(value).toString("base64url");

function providerToken() {
  const header = base64url(JSON.stringify({ alg: "ES256", kid: place.keyId }));
  const claims = base64url(JSON.stringify({ iss: place.teamId, iat: Math.floor(Date.now() / 1000) }));
  const key = createPrivateKey(readFileSync(place.keyFile));
  const signature = sign("sha256", Buffer.from(`${header}.${claims}`), { key, dsaEncoding: "ieee-p1363" });
  return `${header}.${claims}.${signature.toString("base64url")}`;
}

function send(session, token, { method = "POST", path, headers = {}, body = "" }) {
  return new Promise((resolve) => {
    const fields = { ":method": method, ":path": path, authorization: `bearer ${token}`, ...headers };
    if (headers.authorization === "") delete fields.authorization;
    const stream = session.request(fields, { endStream: body === "" });
    const answer = { status: 0, reason: null, apnsId: null };
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      answer.status = received[":status"];
      answer.apnsId = received["apns-id"] ?? null;
    });
    stream.on("data", (chunk) => { text += chunk; });
    stream.on("error", () => {});
    stream.on("close", () => {
      if (text) answer.reason = JSON.parse(text).reason;
      resolve(answer);
    });
    if (body !== "") stream.end(body);
  });
}

const url = process.argv[3] === "sandbox" ? place.sandboxURL : place.productionURL;
const session = connect(url, { ca: readFileSync(place.caFile) });
session.on("error", (error) => {
  process.stderr.write(`${url}: ${error.message}\n`);
  process.exit(1);
});
await once(session, "connect");
const token = providerToken();
const answers = [];
for (const request of requests) answers.push(await send(session, token, request));
process.stdout.write(JSON.stringify(answers) + "\n");
session.close();
