using System.Buffers;
using System.IO.Pipelines;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.InMemory;

/// <summary>
/// A server that is none: for every request it copies the same answer into the pipe. What that costs is the client's, the
/// pipes' and the switches' between them, and stands in the figures of every server in memory.
/// </summary>
internal sealed class CannedProgram : ContenderProgram
{
    // Request line, host, and an empty line.
    private const int LinesOfRequest = 3;

    private static readonly byte[] Answer =
    [
        .. "HTTP/1.1 200 OK\r\nContent-Length: 23\r\nContent-Type: application/json; charset=utf-8\r\n"u8,
        .. "Date: Sat, 20 Nov 2021 12:00:00 GMT\r\nServer: Kestrel\r\n\r\n"u8,
        .. "{\"name\":\"weir\",\"sum\":3}"u8,
    ];

    private readonly InMemoryTransport _memory = new();
    private Task _serving = Task.CompletedTask;

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        _serving = ServeAsync();
        return base.StartAsync(settings);
    }

    public override Task RunAsync(ControlLine request, Round round) => InMemoryLoad.RunAsync(_memory, request, round);

    public override async ValueTask DisposeAsync()
    {
        await _memory.DisposeAsync();
        await _serving;
        await base.DisposeAsync();
    }

    // One connection after the other, as its only client opens them.
    private async Task ServeAsync()
    {
        while (await _memory.AcceptAsync() is { } connection)
            await AnswerAsync(connection.Transport);
    }

    private static async Task AnswerAsync(IDuplexPipe transport)
    {
        long lines = 0;
        while (true)
        {
            var result = await transport.Input.ReadAsync();
            foreach (var part in result.Buffer)
                lines += part.Span.Count((byte)'\n');
            transport.Input.AdvanceTo(result.Buffer.End);
            for (; lines >= LinesOfRequest; lines -= LinesOfRequest)
                transport.Output.Write(Answer);
            await transport.Output.FlushAsync();
            if (result.IsCompleted)
                return;
        }
    }
}
