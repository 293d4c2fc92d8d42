/** One direction: schemas → domain → store → gateway, consumers → ops. Tests and benchmarks may see everything. */
const layers = ['schemas', 'domain', 'store', 'gateway|consumers', 'ops', 'bench|test'];
const layering = layers.slice(0, -1).map((layer, i) => ({
  name: `${layer.replace('|', '-')}-imports-only-downwards`,
  severity: 'error',
  from: { path: `^(${layer})/` },
  to: { path: `^(${layers.slice(i + 1).join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...layering,
    {
      name: 'gateway-and-consumers-apart',
      severity: 'error',
      from: { path: '^gateway/' },
      to: { path: '^consumers/' },
    },
    {
      name: 'consumers-and-gateway-apart',
      severity: 'error',
      from: { path: '^consumers/' },
      to: { path: '^gateway/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'production-runs-on-dependencies-alone',
      severity: 'error',
      from: { path: '^(schemas|domain|store|gateway|consumers)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'rules-know-no-io',
      severity: 'error',
      from: { path: '^domain/' },
      to: { dependencyTypes: ['core'], path: '^(fs|net|http|https|child_process)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
