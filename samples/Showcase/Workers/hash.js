'use strict';
// Serves Node/Hash of the showcase.

const { createHash } = require('node:crypto');
const { operation, serve } = require('./weir-worker.js');

// The SHA-512 of the request's body, in base64.
operation('Node/Hash', { data: 'bytes' }, ({ data }) => createHash('sha512').update(data).digest('base64'));

serve();
