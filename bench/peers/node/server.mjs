// Fastify or Express as a contender: node server.mjs fastify|express
import { serve } from './control.mjs';

const fruits = { apple: 1, orange: 2, grape: 4 };

function echo({ name, x, y, e }) {
  if (!(String(e).toLowerCase() in fruits)) throw new Error(`no such fruit: ${e}`);
  return { name, sum: Number(x) + Number(y) };
}

// What Fastify's serializer is compiled from.
const answer = {
  type: 'object',
  properties: { name: { type: 'string' }, sum: { type: 'integer' } },
  required: ['name', 'sum'],
};

async function listen(kind) {
  if (kind === 'fastify') {
    const { default: fastify } = await import('fastify');
    const server = fastify();
    server.get('/perf/echo', { schema: { response: { 200: answer } } }, async request => echo(request.query));
    await server.listen({ host: '127.0.0.1', port: 0 });
    return server.server;
  }
  const { default: express } = await import('express');
  const application = express().disable('x-powered-by');
  application.get('/perf/echo', (request, response) => response.json(echo(request.query)));
  return new Promise(resolve => {
    const server = application.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const server = await listen(process.argv[2]);
await serve({}, { port: server.address().port });
process.exit(0);
