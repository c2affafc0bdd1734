import workerpool from 'workerpool';
import { hash, load, nothing, witnessed } from './tasks.mjs';

workerpool.worker({ hash, load, nothing, witnessed });
