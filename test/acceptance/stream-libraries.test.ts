/** Libraries for Server-Sent Events, used as docs/streaming.md says, across the ends of their connections. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endorse } from '../helpers/ballots/submissions.ts';
import { installNpmPackages } from '../helpers/clients/npm-packages.ts';
import { installPythonPackages, runProgram } from '../helpers/clients/python.ts';
import { hasJavaCompiler } from '../helpers/kafka/outside-client.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

/** How many connections the service ends during a test. */
const ENDS = 2;

// Its wait between two connections does not keep Node alive.
const EVENTSOURCE = `
import { EventSource } from 'eventsource';
const source = new EventSource(url, {
  fetch: (address, init) =>
    fetch(address, { ...init, headers: { ...init.headers, Authorization: 'Bearer ' + key } }),
});
source.addEventListener('endorsement', ({ data }) => print(data));
setInterval(() => {}, 60_000);`;

const POLYFILL = `
import { EventSourcePolyfill } from 'event-source-polyfill';
const source = new EventSourcePolyfill(url, { headers: { Authorization: 'Bearer ' + key } });
source.addEventListener('endorsement', ({ data }) => print(data));`;

// A library for browsers, which looks for these.
const FETCH_EVENT_SOURCE = `
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const { fetchEventSource } = await import('@microsoft/fetch-event-source');
let id = '';
for (;;) {
  await fetchEventSource(url, {
    headers: { Authorization: 'Bearer ' + key, ...(id && { 'Last-Event-ID': id }) },
    onmessage(message) {
      id = message.id || id;
      if (message.event === 'endorsement') print(message.data);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
}`;

const HTTPX_SSE = `
import httpx, sys, time
from httpx_sse import connect_sse
url, key = sys.argv[1:]
last_id = ''
with httpx.Client(timeout=60) as client:
    while True:
        headers = {'Authorization': 'Bearer ' + key, 'Last-Event-ID': last_id}
        with connect_sse(client, 'GET', url, headers=headers) as source:
            source.response.raise_for_status()
            for event in source.iter_sse():
                last_id = event.id
                if event.event == 'endorsement':
                    print(event.data, flush=True)
        time.sleep(1)
`;

const SSECLIENT = `
import requests, sseclient, sys, time
url, key = sys.argv[1:]
last_id = ''
while True:
    headers = {'Authorization': 'Bearer ' + key, 'Last-Event-ID': last_id}
    with requests.get(url, headers=headers, stream=True, timeout=60) as response:
        response.raise_for_status()
        for event in sseclient.SSEClient(response).events():
            last_id = event.id
            if event.event == 'endorsement':
                print(event.data, flush=True)
    time.sleep(1)
`;

const GO = `
package main

import (
	"bufio"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	id, next := "", ""
	for ; ; time.Sleep(time.Second) {
		request, err := http.NewRequest("GET", os.Args[1], nil)
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		request.Header.Set("Last-Event-ID", id)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		if response.StatusCode != 200 {
			log.Fatal(response.Status)
		}
		event, data := "", ""
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "event":
				event = value
			case "data":
				data = value
			case "id":
				next = value
			case "":
				id = next
				if event == "endorsement" {
					fmt.Println(data)
				}
				event = ""
			}
		}
		response.Body.Close()
	}
}
`;

const JAVA = `
import java.net.URI;
import java.net.http.*;

class Follow {
  static String id = "", next = "", event = "", data = "";

  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    for (;; Thread.sleep(1000)) {
      var request = HttpRequest.newBuilder(URI.create(args[0])).header("Authorization", "Bearer " + args[1]);
      if (!id.isEmpty()) request.header("Last-Event-ID", id);
      var response = client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
      if (response.statusCode() != 200) throw new Exception("Status " + response.statusCode());
      response.body().forEach(Follow::take);
    }
  }

  static void take(String line) {
    if (line.startsWith("event: ")) event = line.substring(7);
    else if (line.startsWith("data: ")) data = line.substring(6);
    else if (line.startsWith("id: ")) next = line.substring(4);
    else if (line.isEmpty()) {
      id = next;
      if (event.equals("endorsement")) System.out.println(data);
      event = "";
    }
  }
}
`;

let service: TestService;
const children: ChildProcess[] = [];
let round = 0;

beforeAll(async () => {
  service = await TestService.start({ gatewayConfig: { streamLifetimeMs: 1000 } });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
});

const modules = await installNpmPackages(
  'eventsource@5.1.5',
  'event-source-polyfill@1.0.31',
  '@microsoft/fetch-event-source@2.0.1',
);
const bin = await installPythonPackages();

const ofNode = (program: string) => {
  const start = 'const [url, key] = process.argv.slice(1); const print = (text) => console.log(text);';
  const args = ['--input-type=module', '-e', program.replace(/^(import .*)?$/m, `$1\n${start}`)];
  return modules && { command: process.execPath, args, cwd: path.dirname(modules) };
};
const ofPython = (program: string) =>
  bin && { command: path.join(bin, 'python'), args: ['-c', program], cwd: process.cwd() };
/** Writes a program in another language below `.cache`. Returns its folder. */
async function writeProgram(file: string, program: string): Promise<string> {
  const folder = path.resolve('.cache', 'stream-libraries');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, file), program);
  return folder;
}

async function ofGo(program: string) {
  if (findProgram('go') === null) return skip('Go');
  const cwd = await writeProgram('follow.go', program);
  if ((await runProgram('go', ['build', '-o', 'follow', 'follow.go'], cwd)) !== 0) {
    throw new Error('The program in Go does not compile.');
  }
  return { command: path.join(cwd, 'follow'), args: [], cwd };
}

async function ofJava(program: string) {
  if (!hasJavaCompiler()) return skip('a JDK');
  return { command: 'java', args: ['Follow.java'], cwd: await writeProgram('Follow.java', program) };
}

function skip(tool: string): null {
  process.stderr.write(`Without ${tool}, its program is skipped.\n`);
  return null;
}

describe.each([
  ['eventsource', ofNode(EVENTSOURCE)],
  ['event-source-polyfill', ofNode(POLYFILL)],
  ['@microsoft/fetch-event-source', ofNode(FETCH_EVENT_SOURCE)],
  ['httpx-sse', ofPython(HTTPX_SSE)],
  ['sseclient-py', ofPython(SSECLIENT)],
  ['net/http of Go', await ofGo(GO)],
  ['java.net.http', await ofJava(JAVA)],
])('%s', (_, program) => {
  // Without a registry or the language, the library is missing.
  const testWithLibrary = program ? test : test.skip;

  testWithLibrary('reads every change once, across the ends of its connections', async () => {
    if (!program) return;
    const { command, args, cwd } = program;
    const child = spawn(command, [...args, service.url('/v1/stream'), service.key], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes;
    });
    const received = () => [...output.matchAll(/"statement":"([^"]*)"/g)].map(([, statement]) => statement);
    const change = async () => {
      round += 1;
      await service.submit([endorse('nation-herald', 'mayor', 'ann', { statement: `Round ${round}.` })]);
      return `Round ${round}.`;
    };
    // The first changes may come before the stream has begun.
    await until('the first change', async () => {
      await change();
      return received().length > 0;
    });
    const first = received().at(-1);
    const made: string[] = [];
    const ended = () => metricValue('streams_ended_total', { reason: 'lifetime' });
    const last = (await ended()) + ENDS;
    while ((await ended()) < last) {
      const statement = await change();
      made.push(statement);
      await until('the change', () => received().includes(statement));
    }
    const after = received();
    expect(after.slice(after.indexOf(first) + 1).filter((text) => made.includes(text ?? ''))).toEqual(made);
    expect(new Set(after).size).toBe(after.length);
    child.kill('SIGKILL');
  });
});
