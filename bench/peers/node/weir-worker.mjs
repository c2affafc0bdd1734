// Document 003's task in Weir's own worker for Node.
import worker from '../../../workers/node/weir-worker.js';
import { hash, load, nothing } from './tasks.mjs';

const { operation, serve } = worker;

operation('ForeignTasks/NothingOf', { bytes: 'int' }, () => nothing());
operation('ForeignTasks/LoadOf', { bytes: 'int' }, ({ bytes }) => load({ data: Buffer.alloc(bytes) }));
operation('ForeignTasks/Nothing', { data: 'bytes' }, () => nothing());
operation('ForeignTasks/Load', { data: 'bytes' }, ({ data }) => load({ data }));
operation('ForeignTasks/Hash', { data: 'bytes' }, ({ data }) => hash({ data }));

serve();
