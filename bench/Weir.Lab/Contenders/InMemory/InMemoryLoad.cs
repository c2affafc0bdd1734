using System.Buffers;
using System.Text;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Contenders.InMemory;

/// <summary>Sends requests to the server in its own process, so that nothing but the server's work is counted.</summary>
internal static class InMemoryLoad
{
    /// <summary><c>paths</c> (separated by spaces), <c>seconds</c>, <c>depth</c>: managed bytes and processor time per request.</summary>
    public static async Task RunAsync(InMemoryTransport transport, ControlLine request, Round round)
    {
        var requests = RequestSet.Get(request["paths"].Split(' '));
        var depth = request.Int("depth");
        using var client = new Client(transport.Connect(), requests);

        await client.SendAsync(depth);
        var before = Counters.OfThisProcess();
        var began = Clock.Now;
        var end = began + Clock.TicksOf(request.Number("seconds"));
        long count = 0;
        for (; Clock.Now < end; count += depth)
            await client.SendAsync(depth);
        var seconds = Clock.SecondsSince(began);
        var used = Counters.OfThisProcess() - before;
        round.AddRate("requests/s", count, seconds)
            .Add("bytes/request", (double)used.AllocatedBytes / count, "B")
            .Add("cpu/request", used.CpuSeconds * 1e6 / count, "µs");
    }

    /// <summary>The body that one <c>path</c> gives.</summary>
    public static async Task<ControlLine> FetchAsync(InMemoryTransport transport, ControlLine request)
    {
        using var client = new Client(transport.Connect(), RequestSet.Get(request["path"]));
        var response = await client.FetchAsync();
        var body = new StringBuilder();
        new BodyDecoder().Feed(response, part => body.Append(Encoding.UTF8.GetString(part)));
        return new ControlLine("ok").With("answer", body.ToString());
    }

    private sealed class Client(InMemoryConnection connection, RequestSet requests) : IDisposable
    {
        private ResponseScanner _scanner;

        /// <summary>So many requests at once, and their responses.</summary>
        public async Task SendAsync(int count)
        {
            for (var i = 0; i < count; i++)
                connection.Requests.Write(requests.Next());
            await connection.Requests.FlushAsync();
            await ReceiveAsync(count);
        }

        public void Dispose() => connection.Leave();

        /// <summary>One response, whole.</summary>
        public async Task<byte[]> FetchAsync()
        {
            var response = new List<byte>();
            connection.Requests.Write(requests.Next());
            await connection.Requests.FlushAsync();
            await ReceiveAsync(1, response);
            return [.. response];
        }

        // Keeps the bytes only where a caller reads them.
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
