import workerpool from 'workerpool';
import { hash, load, nothing, witnessed } from './tasks.mjs';

// Over the channel of a forked process a buffer arrives as plain JSON.
const revived = task => ({ ...task, data: task.data && Buffer.from(task.data.data ?? task.data) });

workerpool.worker({
  hash: task => hash(revived(task)),
  load: task => load(revived(task)),
  nothing,
  witnessed,
});
