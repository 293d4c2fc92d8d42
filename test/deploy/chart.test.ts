import { readFile } from 'node:fs/promises';
import { describe, expect } from '@jest/globals';
import { parse } from 'yaml';
import { listRoleRights } from '../../kafka/connection/role-rights.ts';
import { planTopics, type Topic } from '../../kafka/topics/topic-settings.ts';
import { renderStrimzi } from '../../ops/topics/acls.ts';
import { STOP_DEADLINE_MS } from '../../service/lifecycle.ts';
import {
  CHART,
  chartTest,
  find,
  lint,
  podsOf,
  type Resource,
  render,
  schemaTest,
  template,
  type Values,
  validate,
} from '../helpers/deploy/chart.ts';
import { listKnownSettings } from '../helpers/service/known-settings.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const EVERYTHING: Values = {
  image: { digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  database: {
    readUrls: ['postgres://ballot@replica-1/ballot', 'postgres://ballot@replica-2/ballot'],
    caSecret: { name: 'database-ca', key: 'ca.crt' },
  },
  kafka: { authentication: 'certificate', caSecret: { name: 'kafka-ca', key: 'ca.crt' }, readsNearby: true },
  gateway: { autoscaling: { enabled: true }, settings: { STREAM_HEARTBEAT_MS: 10000 } },
  console: {
    publicUrl: 'https://ballots.example.org',
    oidc: {
      issuer: 'https://accounts.example.org',
      clientId: 'ballots',
      clientSecret: { name: 'oidc', key: 'client-secret' },
    },
  },
  webhooks: {
    enabled: true,
    keySecret: { name: 'webhooks', key: 'key' },
    proxy: 'http://proxy:3128',
    noticeUrl: 'https://mail.internal/notices',
  },
  ops: { enabled: true },
  ingress: { enabled: true, className: 'nginx', hosts: ['ballots.example.org'] },
  httpRoute: { enabled: true, parentRefs: [{ name: 'web' }], hostnames: ['ballots.example.org'] },
  networkPolicy: { clients: [{ namespaceSelector: {} }] },
  monitoring: { podMonitor: { enabled: true }, prometheusRule: { enabled: true } },
  tracing: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER_ARG: 0.01 },
};

const SETTINGS: [string, Values][] = [
  ['the defaults', {}],
  [
    'as little as possible',
    {
      kafka: { tls: false, authentication: 'none' },
      console: { enabled: false },
      networkPolicy: { enabled: false },
    },
  ],
  ['everything', EVERYTHING],
  ['strimzi', { kafka: { brokers: '' }, strimzi: { enabled: true } }],
];

describe.each(SETTINGS)('with %s', (_, values) => {
  chartTest('helm lint has no complaint', () => {
    expect(lint(values)).toBe('');
  });

  schemaTest('every resource fits its schema', () => {
    expect(validate(values)).toEqual([]);
  });

  chartTest('every pod is confined, has a secret only as a file, and no access to Kubernetes', () => {
    const pods = podsOf(render(values));
    expect(pods.size).toBeGreaterThanOrEqual(4);
    for (const pod of pods.values()) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      for (const { securityContext, env, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.limits.memory).toBeDefined();
        expect(JSON.stringify(env)).not.toContain('secretKeyRef');
        expect(env.map(({ name }: { name: string }) => name)).not.toContain('KAFKA_PASSWORD');
      }
    }
  });

  chartTest('a file that a variable names is in the volume of secrets', () => {
    for (const [name, { containers, volumes }] of podsOf(render(values))) {
      const sources = volumes.flatMap(({ projected }: Resource) => projected?.sources ?? []);
      const mounted = sources.flatMap(({ secret }: Resource) =>
        secret.items.map(({ path }: { path: string }) => `/run/secrets/ballot/${path}`),
      );
      const named = containers[0].env
        .filter((variable: { name: string }) => variable.name.endsWith('_FILE'))
        .map(({ value }: { value: string }) => value);
      expect([name, named.sort()]).toEqual([name, mounted.sort()]);
    }
  });
});

chartTest('the pod of commands has a folder for files, and no other pod can write', () => {
  const pods = [...podsOf(render(EVERYTHING))];
  const writable = ({ containers, volumes }: Resource) =>
    volumes
      .filter(({ emptyDir }: Resource) => emptyDir)
      .map(({ name }: Resource) => containers[0].volumeMounts.find((mount: Resource) => mount.name === name));
  expect(pods.flatMap(([name, pod]) => writable(pod).map((mount: Resource) => [name, mount]))).toEqual([
    ['ops', { name: 'tmp', mountPath: '/tmp' }],
  ]);
});

chartTest('a value that the chart does not know is refused, and so is a missing one', () => {
  expect(template({ gatway: {} }).errors).toContain('gatway');
  expect(template({ gateway: { settings: { STREAM_HEARTBEAT: 1 } } }).errors).toContain('STREAM_HEARTBEAT');
  expect(template({ database: { url: '' } }).errors).toContain('database.url is required');
  expect(template({ kafka: { brokers: '' } }).errors).toContain('kafka.brokers is required');
  const oidc = { issuer: 'https://accounts.example.org', clientId: 'ballots' };
  expect(template({ console: { oidc } }).errors).toContain('console.oidc.clientSecret.name is required');
});

chartTest.each([
  ['STREAM_LIFETIME_MS', 3_600_000, '3600000'],
  ['STREAM_LIFETIME_MS', '7200000', '7200000'],
  ['TODAY', '2026-11-03', '2026-11-03'],
])('the setting %s of a gateway reaches it as it is written: %p', (name, value, text) => {
  const [gateway] = podsOf(render({ gateway: { settings: { [name]: value } } })).get('gateway').containers;
  expect(gateway.env).toContainEqual({ name, value: text });
});

chartTest('the values of the guide are values of the chart', async () => {
  const guide = await readFile('docs/kubernetes.md', 'utf8');
  const [, example = ''] = /```\n( *# ballots\.yaml\n.*?)```/s.exec(guide) ?? [];
  const values = parse(example);
  const resources = render(values);
  const { metadata, spec } = find(resources, 'Ingress');
  expect(spec.rules[0].host).toBe('ballots.example.org');
  expect(metadata.annotations['nginx.ingress.kubernetes.io/proxy-body-size']).toBe('5m');
  expect(lint(values)).toBe('');
});

/** Settings that the chart leaves out, with the reason. */
const LEFT_OUT: Record<string, string> = {
  KAFKA_CA: 'the file has it',
  KAFKA_CERT: 'the file has it',
  KAFKA_KEY: 'the file has it',
  KAFKA_KEY_PASSWORD: "not offered: Strimzi's keys are not encrypted",
  KAFKA_KEY_PASSWORD_FILE: "not offered: Strimzi's keys are not encrypted",
  KAFKA_PASSWORD: 'the file has it',
  DATABASE_PASSWORD: 'the file has it',
  READ_DATABASE_URLS_FILE: 'the addresses hold no password',
  DATABASE_CA: 'the file has it',
  OIDC_CLIENT_SECRET: 'the file has it',
  KAFKA_OAUTH_TOKEN_URL: 'not offered: the users have passwords or certificates',
  KAFKA_OAUTH_CLIENT_ID: 'not offered: the users have passwords or certificates',
  KAFKA_OAUTH_CLIENT_SECRET: 'not offered: the users have passwords or certificates',
  KAFKA_OAUTH_CLIENT_SECRET_FILE: 'not offered: the users have passwords or certificates',
  KAFKA_OAUTH_SCOPE: 'not offered: the users have passwords or certificates',
  DATABASE_CERT: 'not offered: the user has a password',
  DATABASE_CERT_FILE: 'not offered: the user has a password',
  DATABASE_KEY: 'not offered: the user has a password',
  DATABASE_KEY_FILE: 'not offered: the user has a password',
  DATABASE_KEY_PASSWORD: 'not offered: the user has a password',
  DATABASE_KEY_PASSWORD_FILE: 'not offered: the user has a password',
  METRICS_PORT: 'of long-running programs only',
  HOST: 'a pod listens on all of its addresses',
  WEBHOOK_SECRET_KEY: 'the file has it',
  GATEWAY_PROCESSES: 'a container has one process; more gateways use more cores',
};

chartTest('every setting of a program is set, a free setting of the gateway, or left out', async () => {
  const schema = JSON.parse(await readFile(`${CHART}/values.schema.json`, 'utf8'));
  const free: string[] = schema.properties.gateway.properties.settings.propertyNames.enum;
  const set = new Map<string, Set<string>>();
  const { webhooks } = EVERYTHING;
  for (const values of [EVERYTHING, { webhooks, ops: { enabled: true }, kafka: { ...SERVER_NAME } }]) {
    for (const [pod, { containers }] of podsOf(render(values))) {
      const names = set.get(pod) ?? new Set();
      for (const { name } of containers[0].env) names.add(name);
      set.set(pod, names);
    }
  }
  const { gateway, consumers, ops } = listKnownSettings();
  const missing = (pod: string, known: string[]) =>
    known.filter((name) => !(name in LEFT_OUT) && !set.get(pod)?.has(name));
  expect(missing('gateway', gateway).filter((name) => !free.includes(name))).toEqual([]);
  expect(free.filter((name) => !gateway.includes(name))).toEqual([]);
  const others = consumers.filter((name) => !/WEBHOOK/.test(name));
  expect(missing('apply', others)).toEqual([]);
  expect(missing('relay', others)).toEqual([]);
  expect(missing('deliver', consumers)).toEqual([]);
  expect(missing('ops', ops)).toEqual([]);
  expect(missing('topics', ops)).toEqual([]);
});

const SERVER_NAME = { serverName: 'kafka.example.org', authentication: 'password' };

chartTest('a pod has time to stop after its pause', () => {
  for (const preStopSeconds of [5, 20]) {
    const pods = podsOf(render({ gateway: { preStopSeconds, drainSeconds: 20 } }));
    const { terminationGracePeriodSeconds, containers } = pods.get('gateway');
    expect(containers[0].lifecycle.preStop).toEqual({ sleep: { seconds: preStopSeconds } });
    const rest = terminationGracePeriodSeconds - preStopSeconds;
    expect(rest * 1000).toBeGreaterThan(STOP_DEADLINE_MS);
    expect(pods.get('apply').terminationGracePeriodSeconds * 1000).toBeGreaterThan(STOP_DEADLINE_MS);
  }
});

chartTest('the network lets nothing through but what the programs need', () => {
  const policies = render(EVERYTHING).filter(({ kind }) => kind === 'NetworkPolicy');
  const deny = find(policies, 'NetworkPolicy', '-deny').spec;
  expect(deny.policyTypes).toEqual(['Ingress', 'Egress']);
  expect(deny.ingress ?? deny.egress).toBeUndefined();
  const ports = (ending: string, direction: 'ingress' | 'egress') =>
    find(policies, 'NetworkPolicy', ending).spec[direction].flatMap((rule: Resource) =>
      rule.ports.map(({ port }: { port: number }) => port),
    );
  expect(ports('-clients', 'ingress')).toEqual(['http']);
  expect(ports('-monitoring', 'ingress')).toEqual(['metrics']);
  expect(ports('-servers', 'egress')).toEqual([53, 53, 5432, 9092, 9093, 9094, 9096, 4318]);
  expect(ports('-sign-in', 'egress')).toEqual([443]);
  expect(ports('-receivers', 'egress')).toEqual([443, 8443]);
  expect(policies).toHaveLength(6);
  const untraced = render({ ...EVERYTHING, tracing: null }).filter(({ kind }) => kind === 'NetworkPolicy');
  expect(JSON.stringify(untraced)).not.toContain('4318');
});

chartTest('every program sends traces as the variables of OpenTelemetry say', () => {
  for (const [name, { containers }] of podsOf(render(EVERYTHING))) {
    const traced = containers[0].env.filter((variable: Resource) => variable.name.startsWith('OTEL_'));
    expect([name, traced]).toEqual([
      name,
      [
        { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' },
        { name: 'OTEL_TRACES_SAMPLER_ARG', value: '0.01' },
      ],
    ]);
  }
  expect(template({ tracing: { OTLP_ENDPOINT: 'http://collector:4318' } }).errors).toContain('OTLP_ENDPOINT');
});

chartTest('the metrics of every program are read', () => {
  const resources = render(EVERYTHING);
  const policy = find(resources, 'NetworkPolicy', '-monitoring').spec.podSelector;
  const programs = resources
    .filter(({ kind, spec }) => kind === 'Deployment' && spec.template.spec.containers[0].readinessProbe)
    .map(({ spec }) => spec.selector.matchLabels['app.kubernetes.io/component']);
  expect(programs).toContain('deliver');
  for (const { matchExpressions } of [find(resources, 'PodMonitor').spec.selector, policy]) {
    expect(matchExpressions[0].values.sort()).toEqual(programs.sort());
  }
});

chartTest('the rules of the Prometheus operator are those of Prometheus', async () => {
  const alerts = parse(await readFile('ops/monitoring/alerts.yml', 'utf8'));
  expect(find(render(EVERYTHING), 'PrometheusRule').spec).toEqual(alerts);
});

describe('strimzi', () => {
  chartTest.each([
    [WEEK_MS, 3],
    [WEEK_MS + 1, 2],
    [10 * MINUTE_MS, 3],
    [1000, 1],
    [366 * 24 * 60 * MINUTE_MS, 3],
  ])('topics for a window of %d ms with %d replicas are those of "topics apply"', (retentionMs, replicas) => {
    const values = {
      ...{ topicPrefix: 'blue-', retentionMs, changesPartitions: 24 },
      strimzi: { enabled: true, replicas },
    };
    const wanted = planTopics({
      ...{ topicPrefix: 'blue-', retentionMs, partitions: 24, replicationFactor: replicas },
    });
    const made = render(values)
      .filter(({ kind }) => kind === 'KafkaTopic')
      .map(({ metadata, spec }): Topic => {
        const { partitions, replicas: replicationFactor, config } = spec;
        return { name: metadata.name, partitions, replicationFactor, config };
      });
    const byName = (a: Topic, b: Topic) => (a.name < b.name ? -1 : 1);
    expect(made.sort(byName)).toEqual(Object.values(wanted).sort(byName));
  });

  chartTest.each([
    ['password', 'scram-sha-512', true],
    ['certificate', 'tls', false],
  ])('users with a %s are those of "topics acls"', (authentication, type, console) => {
    const made = render({
      topicPrefix: 'blue-',
      kafka: { authentication },
      console: { enabled: console },
      strimzi: { enabled: true, cluster: 'ours' },
      webhooks: { enabled: true, keySecret: { name: 'webhooks', key: 'key' } },
    }).filter(({ kind }) => kind === 'KafkaUser');
    const rights = listRoleRights('blue-').filter(({ onlyConsole }) => console || !onlyConsole);
    const wanted = renderStrimzi(rights, {
      ...{ cluster: 'ours', authentication: type, userOf: (role) => `ballot-${role}` },
    }).map((text) => parse(text));
    const bare = ({ apiVersion, kind, metadata, spec }: Resource) => ({
      ...{ apiVersion, kind, spec, name: metadata.name },
      cluster: metadata.labels['strimzi.io/cluster'],
    });
    const byName = (a: Resource, b: Resource) => (a.name < b.name ? -1 : 1);
    expect(made.map(bare).sort(byName)).toEqual(wanted.map(bare).sort(byName));
  });

  chartTest('no job makes topics', () => {
    const jobs = render({ strimzi: { enabled: true } }).filter(({ kind }) => kind === 'Job');
    expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['ballots-ballot-endorsement-data-migrate']);
  });
});
