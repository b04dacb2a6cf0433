import { readdirSync } from 'node:fs';

const folders = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Modules are imported through their index.ts. `shared`, `cli` and `migrations` have none. */
const modules = folders.filter((name) => !['shared', 'cli', 'migrations'].includes(name)).join('|');

/** What a module may import that is not listed below. `ops` and `cli` may import all modules. */
const DEFAULT_IMPORTS = ['shared', 'scheduler', 'auth', 'directory'];
const UNRESTRICTED = ['ops', 'cli'];

/** The source of the console, which runs in the browser. It is built separately. */
const WEB = '^src/console/web/';

/** Pure files of the service that the console also runs in the browser, so that a rule has no copy. */
const SHARED_WITH_WEB = [
  '^src/auth/token/(claim-path|role-claim)\\.ts$',
  '^src/reminder/channel/channel-names\\.ts$',
  '^src/reminder/domain/(reminder-rule|reminder-status|timing/send-time)\\.ts$',
  '^src/session/domain/(series-slots|time-warnings)\\.ts$',
  '^src/shared/batches\\.ts$',
];

const listedImports = {
  shared: [],
  scheduler: ['shared'],
  instance: ['shared', 'scheduler'],
  auth: ['shared', 'scheduler'],
  limits: ['shared', 'scheduler'],
  audit: ['shared', 'scheduler', 'limits', 'directory'],
  request: ['shared', 'scheduler', 'limits', 'audit'],
  directory: ['shared'],
  reminder: ['shared', 'scheduler', 'instance', 'directory'],
  'design-plan': ['shared', 'auth', 'directory'],
  session: ['shared', 'scheduler', 'auth', 'directory', 'design-plan', 'reminder'],
  calendar: ['shared', 'auth', 'directory', 'session'],
  'token-holder': ['shared', 'auth', 'calendar', 'directory'],
  'client-export': ['shared', 'limits', 'directory', 'design-plan', 'reminder', 'session', 'calendar', 'audit'],
  'zone-data': ['shared', 'scheduler', 'instance', 'audit', 'session'],
  retention: ['shared', 'scheduler', 'directory', 'audit', 'session'],
  erasure: [
    ...[
      'shared',
      'scheduler',
      'auth',
      'directory',
      'design-plan',
      'reminder',
      'session',
      'calendar',
      'audit',
      'request',
    ],
    'retention',
  ],
  demonstration: [
    ...['administrator-access', 'erasure', 'shared', 'auth', 'directory', 'token-holder', 'design-plan', 'reminder'],
    ...['session', 'calendar', 'audit'],
  ],
  console: ['shared'],
  migrations: [],
  client: [],
};

const mayImport = Object.fromEntries(
  folders.filter((name) => !UNRESTRICTED.includes(name)).map((name) => [name, listedImports[name] ?? DEFAULT_IMPORTS]),
);

const layerRules = Object.entries(mayImport).map(([from, to]) => ({
  name: `${from}-may-import`,
  comment: `${from} may import ${to.join(', ') || 'no other folder'}.`,
  severity: 'error',
  from: { path: `^src/${from}/`, pathNot: WEB },
  to: { path: '^src/', pathNot: `^src/(${[from, ...to].join('|')})/` },
}));

// The subfolders of each module. A subfolder may import itself and the folders in its list, and no other one of the module.
const subfolders = {
  auth: {
    token: [],
    keys: ['token'],
    revocation: ['token'],
    jwt: ['token', 'keys', 'revocation'],
    'administrator-access': [],
    access: ['token', 'jwt', 'administrator-access'],
  },
  audit: {
    trail: [],
    sealing: ['trail'],
    command: ['trail'],
    reading: ['trail'],
    retention: [],
  },
  session: {
    domain: [],
    scheduling: ['domain'],
    booking: ['domain', 'scheduling'],
    lifecycle: ['domain', 'scheduling'],
    include: ['domain', 'scheduling'],
    series: ['domain', 'scheduling', 'include'],
    homework: ['domain', 'scheduling', 'include'],
    reading: ['domain', 'scheduling', 'include'],
    week: ['domain', 'scheduling', 'include', 'reading'],
    export: ['domain', 'scheduling', 'include', 'reading', 'series'],
    retention: [],
    erasure: [],
  },
  'design-plan': {
    domain: [],
    dto: ['domain'],
  },
  reminder: {
    domain: [],
    text: [],
    queue: ['channel'],
    channel: ['domain', 'text'],
    planning: ['domain'],
    metrics: ['domain', 'channel'],
    preference: ['domain', 'text', 'channel', 'planning'],
    reading: ['domain', 'channel'],
    redrive: ['domain', 'reading'],
    outcome: ['domain', 'channel', 'queue', 'metrics'],
    delivery: ['domain', 'text', 'queue', 'channel', 'planning', 'metrics', 'outcome'],
    preview: ['domain', 'channel', 'planning', 'delivery'],
    dispatch: ['domain', 'queue', 'planning', 'metrics', 'outcome', 'delivery'],
    erasure: ['queue'],
  },
};

const subfolderRules = Object.entries(subfolders).flatMap(([module, folders]) =>
  Object.entries(folders).map(([from, to]) => ({
    name: `${module}-${from}-may-import`,
    comment: `${module}/${from} may import ${to.join(', ') || 'no other folder of the module'}.`,
    severity: 'error',
    from: { path: `^src/${module}/${from}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: `^src/${module}/`, pathNot: `^src/${module}/(${[from, ...to].join('|')})/` },
  })),
);

const reminderRules = [
  {
    name: 'reminder-domain-is-pure',
    comment: 'The domain of reminders does not depend on NestJS.',
    severity: 'error',
    from: { path: '^src/reminder/domain/' },
    to: { path: 'node_modules/@nestjs/' },
  },
  {
    name: 'reminder-timing-is-lowest',
    comment: 'The computation of times does not depend on the rest of the domain.',
    severity: 'error',
    from: { path: '^src/reminder/domain/timing/' },
    to: { path: '^src/reminder/', pathNot: '^src/reminder/domain/timing/' },
  },
];

export default {
  forbidden: [
    ...layerRules,
    ...subfolderRules,
    ...reminderRules,
    {
      name: 'client-stands-alone',
      comment: 'The client is a separate package without dependencies. It runs in browsers and in Node.',
      severity: 'error',
      from: { path: '^src/client/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/client/' },
    },
    {
      name: 'client-is-not-part-of-the-service',
      severity: 'error',
      from: { path: '^(src|mikro-orm\\.config\\.ts)', pathNot: ['^src/client/', WEB] },
      to: { path: '^src/client/' },
    },
    {
      name: 'console-web-may-import',
      comment: 'The console in the browser has its own files, the typed client and some pure rules.',
      severity: 'error',
      from: { path: WEB },
      to: { path: '^(src|test)/', pathNot: [WEB, '^src/client/index\\.ts$', ...SHARED_WITH_WEB] },
    },
    {
      name: 'console-web-is-not-part-of-the-service',
      severity: 'error',
      from: { path: '^(src|mikro-orm\\.config\\.ts)', pathNot: WEB },
      to: { path: WEB },
    },
    { name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'module-through-its-index',
      comment: 'A module is imported through its index.ts only.',
      severity: 'error',
      from: {
        path: `^src/(${folders.filter((name) => name !== 'shared').join('|')})/`,
        pathNot: ['\\.spec\\.ts$', WEB],
      },
      to: {
        path: `^src/(${modules})/`,
        pathNot: ['^src/$1/', '/index\\.ts$'],
      },
    },
    {
      name: 'module-through-its-index-in-root',
      comment: 'The composition root and the configuration also import modules through their index.ts only.',
      severity: 'error',
      from: { path: '^(src/[^/]+\\.ts|mikro-orm\\.config\\.ts)$' },
      to: {
        path: `^src/(${modules})/`,
        pathNot: '/index\\.ts$',
      },
    },
    {
      name: 'entities-are-plain',
      comment: 'Entities import no controller, no DTO and nothing of NestJS.',
      severity: 'error',
      from: { path: '\\.entity\\.ts$' },
      to: { path: ['\\.controller\\.ts$', '/dto/', 'node_modules/@nestjs/'] },
    },
    {
      name: 'not-into-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'unknown'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
