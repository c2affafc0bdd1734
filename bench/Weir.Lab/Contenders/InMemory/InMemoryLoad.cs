using System.Buffers;
using System.Text;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.InMemory;

/// <summary>Sends requests to the server in its own process, so that nothing but the server's work is counted.</summary>
internal static class InMemoryLoad
{
    /// <summary><c>paths</c> (separated by spaces), <c>count</c>, <c>depth</c>: managed bytes and processor time per request.</summary>
    public static async Task RunAsync(InMemoryTransport transport, ControlLine request, Round round)
    {
        var requests = RequestSet.Get(request["paths"].Split(' '));
        var count = request.Int("count");
        var depth = request.Int("depth");
        await using var connection = transport.Connect();
        var client = new Client(connection, requests);

        await client.SendAsync(depth, depth);
        var before = Counters.OfThisProcess();
        var began = Clock.Now;
        await client.SendAsync(count, depth);
        var seconds = Clock.SecondsSince(began);
        var used = Counters.OfThisProcess() - before;
        round.AddRate("requests/s", count, seconds)
            .Add("bytes/request", (double)used.AllocatedBytes / count, "B")
            .Add("cpu/request", used.CpuSeconds * 1e6 / count, "µs");
    }

    /// <summary>The body that one <c>path</c> gives.</summary>
    public static async Task<ControlLine> FetchAsync(InMemoryTransport transport, ControlLine request)
    {
        await using var connection = transport.Connect();
        var response = await new Client(connection, RequestSet.Get(request["path"])).FetchAsync();
        var body = new StringBuilder();
        new BodyDecoder().Feed(response, part => body.Append(Encoding.UTF8.GetString(part)));
        return new ControlLine("ok").With("answer", body.ToString());
    }

    private sealed class Client(InMemoryConnection connection, RequestSet requests)
    {
        private ResponseScanner _scanner;

        public async Task SendAsync(int count, int depth)
        {
            for (var sent = 0; sent < count; sent += depth)
            {
                var batch = Math.Min(depth, count - sent);
                for (var i = 0; i < batch; i++)
                    connection.Requests.Write(requests.Next());
                await connection.Requests.FlushAsync();
                await ReceiveAsync(batch);
            }
        }

        /// <summary>One response, whole.</summary>
        public async Task<byte[]> FetchAsync()
        {
            var response = new List<byte>();
            connection.Requests.Write(requests.Next());
            await connection.Requests.FlushAsync();
            await ReceiveAsync(1, response);
            return [.. response];
        }

        // Keeps the bytes only where somebody wants to read them.
        private async Task ReceiveAsync(int count, List<byte>? kept = null)
        {
            while (count > 0)
            {
                var result = await connection.Responses.ReadAsync();
                foreach (var part in result.Buffer)
                {
                    count -= Ended(part.Span);
                    kept?.AddRange(part.Span);
                }

                connection.Responses.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted && count > 0)
                    throw new IOException("The server closed the connection.");
            }
        }

        private int Ended(ReadOnlySpan<byte> bytes)
        {
            var ended = 0;
            while (_scanner.TryEnd(bytes, out var taken))
            {
                if (_scanner.Status != 200)
                    throw new IOException($"The server answered {_scanner.Status}.");
                ended++;
                bytes = bytes[taken..];
            }

            return ended;
        }
    }
}
