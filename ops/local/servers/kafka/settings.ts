/** The texts of the broker's settings files. */

export interface BrokerPlan {
  port: number;
  controllerPort: number;
  listeners: readonly Listener[];
}

/** Another listener of the broker, on localhost. Its settings are broker settings. */
export interface Listener {
  /** Upper case. */
  name: string;
  protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  port: number;
}

/** One node that is both broker and controller, only on this machine. */
function brokerSettings({ port, controllerPort, listeners }: BrokerPlan): Record<string, string> {
  const more = listeners.map((listener) => `${listener.name}://localhost:${listener.port}`);
  const protocols = listeners.map(({ name, protocol }) => `${name}:${protocol}`);
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: [`PLAINTEXT://127.0.0.1:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`, ...more].join(
      ',',
    ),
    'advertised.listeners': [`PLAINTEXT://127.0.0.1:${port}`, ...more].join(','),
    'listener.security.protocol.map': ['PLAINTEXT:PLAINTEXT', 'CONTROLLER:PLAINTEXT', ...protocols].join(','),
    // Below the folder in which the broker runs: whole paths would be a list with commas, in Latin-1.
    'log.dirs': 'data',
    // `ops topics apply` creates the topics; automatic creation after a typo would give a topic the wrong settings.
    'auto.create.topics.enable': 'false',
    ...singleNodeSettings,
  };
}

/** The settings that a single node needs, embedded or in a container. */
export const singleNodeSettings: Record<string, string> = {
  'default.replication.factor': '1',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '4',
  'share.coordinator.state.topic.replication.factor': '1',
  'share.coordinator.state.topic.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
};

/** server.properties; `overrides` win. */
export function renderServerProperties(plan: BrokerPlan, overrides: Record<string, string>): string {
  const settings = { ...brokerSettings(plan), ...overrides };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\')}\n`)
    .join('');
}

/** log4j2.properties: warnings and errors go to the process's own output, and so to kafka.log. */
export const log4jProperties = `status=error
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %-5p %c{1}: %m%n
rootLogger.level=warn
rootLogger.appenderRef.console.ref=console
`;
