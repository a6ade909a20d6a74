// What a program with the client of Node does all day: create, read, list in pages, watch by an informer, patch in four
// ways, write the status, delete, and read errors as the client's own. The server is that of $KUBECONFIG. Each event must
// come within a minute.
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const LIMIT = 60000; // milliseconds
const namespace = 'default';
const place = { group: 'node.example.com', version: 'v1', namespace, plural: 'wheels' };

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);

const asType = (type) => k8s.setHeaderOptions('Content-Type', type);

function wheel(name, spokes) {
  return { apiVersion: `${place.group}/${place.version}`, kind: 'Wheel', metadata: { name }, spec: { spokes } };
}

async function checkError(code, reason, promise) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof k8s.ApiException, `${error}`);
    const body = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
    assert.deepEqual([error.code, body.kind, body.reason], [code, 'Status', reason]);
    console.log(`${code} ${reason}: ${body.message}`);
    return true;
  });
}

async function define() {
  const api = config.makeApiClient(k8s.ApiextensionsV1Api);
  const name = `${place.plural}.${place.group}`;
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { spokes: { type: 'integer', minimum: 1 } } },
      status: { type: 'object', properties: { turns: { type: 'integer' } } },
    },
  };
  await api.createCustomResourceDefinition({
    body: {
      metadata: { name },
      spec: {
        group: place.group, scope: 'Namespaced', names: { plural: place.plural, kind: 'Wheel' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }],
      },
    },
  });
  for (const end = Date.now() + LIMIT; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await api.readCustomResourceDefinition({ name });
    if (found.status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) break;
    assert.ok(Date.now() < end, 'the definition is not Established');
  }
  console.log('defined');
}

// What an informer has seen of one object, one event after the other.
class Events {
  constructor(informer, name) {
    this.seen = [];
    this.wake = () => {};
    for (const verb of ['add', 'update', 'delete']) {
      informer.on(verb, (found) => {
        if (found.metadata.name !== name) return;
        this.seen.push(`${verb} ${found.data.key}`);
        this.wake();
      });
    }
  }

  async expect(event) {
    const end = setTimeout(() => this.wake(), LIMIT);
    if (!this.seen.length) await new Promise((resolve) => { this.wake = resolve; });
    clearTimeout(end);
    assert.equal(this.seen.shift(), event);
    console.log(`informer: ${event}`);
  }
}

async function builtIn() {
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace }));
  const events = new Events(informer, 'node');
  await informer.start();
  const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'node' }, data: { key: 'one' } } });
  await events.expect('add one');
  made.data.key = 'two';
  await core.replaceNamespacedConfigMap({ name: 'node', namespace, body: made });
  await events.expect('update two');
  await checkError(409, 'Conflict', core.replaceNamespacedConfigMap({ name: 'node', namespace, body: made }));
  const patches = [
    [k8s.PatchStrategy.JsonPatch, [{ op: 'replace', path: '/data/key', value: 'three' }]],
    [k8s.PatchStrategy.MergePatch, { data: { key: 'four' } }],
    [k8s.PatchStrategy.StrategicMergePatch, { data: { key: 'five' } }],
  ];
  for (const [type, body] of patches) {
    const patched = await core.patchNamespacedConfigMap({ name: 'node', namespace, body }, asType(type));
    await events.expect(`update ${patched.data.key}`);
  }
  await core.deleteNamespacedConfigMap({ name: 'node', namespace });
  await events.expect('delete five');
  await informer.stop();
}

async function listPages() {
  const names = [];
  let pages = 0;
  let token;
  do {
    const page = await custom.listNamespacedCustomObject({ ...place, limit: 2, _continue: token });
    names.push(...page.items.map((one) => one.metadata.name));
    token = page.metadata.continue;
    pages += 1;
  } while (token);
  assert.deepEqual([pages, names], [3, [0, 1, 2, 3, 4].map((index) => `page-${index}`)]);
  console.log(`${pages} pages`);
}

const apply = (fieldManager, spokes, force) => custom.patchNamespacedCustomObject(
  { ...place, name: 'applied', body: wheel('applied', spokes), fieldManager, force }, asType(k8s.PatchStrategy.ServerSideApply));

async function customObjects() {
  for (let index = 0; index < 5; index += 1) {
    await custom.createNamespacedCustomObject({ ...place, body: wheel(`page-${index}`, 3) });
  }
  await listPages();
  await apply('one', 4);
  await checkError(409, 'Conflict', apply('two', 5));
  assert.equal((await apply('two', 5, true)).spec.spokes, 5);
  const turned = await custom.patchNamespacedCustomObjectStatus(
    { ...place, name: 'applied', body: { status: { turns: 9 } } }, asType(k8s.PatchStrategy.MergePatch));
  assert.deepEqual([turned.status, turned.spec], [{ turns: 9 }, { spokes: 5 }]);
  turned.status.turns = 10;
  await custom.replaceNamespacedCustomObjectStatus({ ...place, name: 'applied', body: turned });
  const read = await custom.getNamespacedCustomObjectStatus({ ...place, name: 'applied' });
  assert.deepEqual(read.status, { turns: 10 });
  await checkError(404, 'NotFound', custom.getNamespacedCustomObject({ ...place, name: 'absent' }));
  await checkError(409, 'AlreadyExists', custom.createNamespacedCustomObject({ ...place, body: wheel('page-0', 3) }));
  await checkError(422, 'Invalid', custom.createNamespacedCustomObject({ ...place, body: wheel('bad', 0) }));
  await custom.deleteCollectionNamespacedCustomObject(place);
  assert.deepEqual((await custom.listNamespacedCustomObject(place)).items, []);
}

await define();
await builtIn();
await customObjects();
console.log('passed');
process.exit(0); // a watch that was stopped may keep its connection for a while
