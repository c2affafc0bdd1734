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
        private bool _isMeasuring;

        public async Task SendAsync(int count, int depth)
        {
            _isMeasuring = true;
            for (var sent = 0; sent < count; sent += depth)
            {
                var batch = Math.Min(depth, count - sent);
                for (var i = 0; i < batch; i++)
                    connection.Requests.Write(requests.Next());
                await connection.Requests.FlushAsync();
                await ReceiveAsync(batch);
            }
        }

        public async Task<byte[]> FetchAsync()
        {
            connection.Requests.Write(requests.Next());
            await connection.Requests.FlushAsync();
            return await ReceiveAsync(1);
        }

        private async Task<byte[]> ReceiveAsync(int count)
        {
            while (true)
            {
                var result = await connection.Responses.ReadAsync();
                foreach (var part in result.Buffer)
                    count -= Ended(part.Span);

                var bytes = count == 0 ? Short(result.Buffer) : [];
                connection.Responses.AdvanceTo(result.Buffer.End);
                if (count == 0)
                    return bytes;
                if (result.IsCompleted)
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

        // Only the comparison of answers looks at it, and there one short response is all there is.
        private byte[] Short(ReadOnlySequence<byte> bytes) => requests.Count == 1 && bytes.Length < 4096 && !_isMeasuring ? bytes.ToArray() : [];
    }
}
