using System.Text;
using System.Threading.Channels;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.IntegrationTests.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>A host that does what a test says, around a real worker process.</summary>
internal sealed class LiveWorker : IAsyncDisposable
{
    // A worker of the slowest runtime on a machine that builds something else.
    private const double Seconds = 30;

    private readonly WorkerHandle _handle;
    private readonly Channel<Received> _data;
    private readonly Channel<Received> _control;
    private readonly string _service;
    private readonly List<string> _operations = [];

    private LiveWorker(WorkerHandle handle, Launched.LineLog output, string service)
    {
        _handle = handle;
        _service = service;
        Output = output;
        _data = Read(handle.Data, FrameRoute.DataUp);
        _control = Read(handle.Control, FrameRoute.ControlUp);
    }

    public Launched.LineLog Output { get; }

    public int ProcessId => _handle.ProcessId;

    /// <summary>The last lines it printed, for a failed test.</summary>
    public string Tail => _handle.ReadOutputTail();

    /// <summary>Starts a worker and says nothing yet.</summary>
    public static async Task<LiveWorker> LaunchAsync(WorkerProgram program, string service)
    {
        var output = new Launched.LineLog();
        var handle = await WorkerLauncherFactory.ForThisPlatform().LaunchAsync(new LaunchRequest
        {
            FileName = program.FileName,
            Arguments = program.Arguments,
            Environment = program.Environment,
            Output = output,
        });
        return new LiveWorker(handle, output, service);
    }

    /// <summary>A worker that is ready.</summary>
    public static async Task<LiveWorker> StartAsync(WorkerProgram program, string service, HelloPayload? hello = null)
    {
        var worker = await LaunchAsync(program, service);
        worker.Control((hello ?? Hello()).Write);
        worker.Accept(await worker.NextControlAsync());
        return worker;
    }

    public static HelloPayload Hello(int leastLogLevel = 2, int mostPayload = FrameReader.DefaultMostPayload, int leastVersion = 1, int mostVersion = 1, Capabilities capabilities = Capabilities.None, params (string Key, string Value)[] configuration) => new()
    {
        Capabilities = capabilities,
        MinVersion = leastVersion,
        MaxVersion = mostVersion,
        LeastLogLevel = (byte)leastLogLevel,
        MostPayload = mostPayload,
        Pool = "compliance",
        Configuration = [.. configuration.Select(static one => KeyValuePair.Create(one.Key, one.Value))],
    };

    public ReadyPayload Accept(Received ready)
    {
        Assert.True(ready is { Type: FrameType.Ready, Flags: FrameFlags.None }, $"{ready}\n{Tail}");
        var payload = ReadyPayload.Read(ready.Payload);
        _operations.AddRange(payload.Operations.Select(static one => one.Name));
        return payload;
    }

    /// <summary>The operation's place in the table of READY.</summary>
    public int IndexOf(string operation) => _operations.IndexOf($"{_service}/{operation}") is >= 0 and var index
        ? index
        : throw new InvalidOperationException($"{_service}/{operation} is not among {string.Join(' ', _operations)}");

    public void Data(Action<FrameWriter> write) => Send(_handle.Data, Bytes(write));

    public void Control(Action<FrameWriter> write) => Send(_handle.Control, Bytes(write));

    public void DataBytes(params byte[] bytes) => Send(_handle.Data, bytes);

    public void ControlBytes(params byte[] bytes) => Send(_handle.Control, bytes);

    public void Call(ulong id, string operation, string? json = null, byte[]? raw = null, int rawParameter = 1, ResultEncoding wished = ResultEncoding.Json, uint credit = 0, long remaining = -1, CallContext? context = null) =>
        Data(frames => WriteCall(frames, id, operation, json, raw, rawParameter, wished, credit, remaining, context));

    public void WriteCall(FrameWriter frames, ulong id, string operation, string? json = null, byte[]? raw = null, int rawParameter = 1, ResultEncoding wished = ResultEncoding.Json, uint credit = 0, long remaining = -1, CallContext? context = null)
    {
        var call = CallWriter.Begin(frames, id, new CallFields((ushort)IndexOf(operation), wished, credit, remaining, Context: context));
        if (json is not null)
        {
            call.BeginPart(PartKind.Json);
            frames.Write(Encoding.UTF8.GetBytes(json));
            call.EndPart();
        }

        if (raw is not null)
        {
            call.AddRaw(rawParameter, raw);
        }

        call.End();
    }

    public void Cancel(ulong id, CancelReason reason = CancelReason.Caller) => Control(frames => new CancelPayload(reason).Write(frames, id));

    public void Grant(ulong id, uint bytes) => Control(frames => new CreditPayload(bytes).Write(frames, id));

    public void Drain(ulong last) => Control(frames => frames.Append(FrameType.Drain, last));

    public void Ping(ulong stamp) => Control(frames => new PingPayload(stamp).Write(frames, FrameType.Ping));

    public void EndData() => _handle.Data.End();

    public void EndControl() => _handle.Control.End();

    public void Kill() => _handle.Kill();

    /// <summary>The next frame of the data channel.</summary>
    public async Task<Received> NextDataAsync() => await TryNextDataAsync() ?? throw new EndOfStreamException($"The data channel has ended.\n{Tail}");

    /// <summary>The next frame; <c>null</c> at the end of the channel.</summary>
    public Task<Received?> TryNextDataAsync() => NextAsync(_data);

    /// <summary>The next frame of the control channel that is no record of a log.</summary>
    public async Task<Received> NextControlAsync()
    {
        while (true)
        {
            var frame = await NextAsync(_control) ?? throw new EndOfStreamException($"The control channel has ended.\n{Tail}");
            if (frame.Type != FrameType.Log)
            {
                return frame;
            }

            Logged.Add(LogPayload.Read(frame.Payload));
            LoggedIn.Add(frame.CallId);
        }
    }

    /// <summary>The records of the log that were passed over, and the calls they came from.</summary>
    public List<LogPayload> Logged { get; } = [];

    public List<ulong> LoggedIn { get; } = [];

    public async Task<Received> ExpectAsync(FrameType type, ulong id)
    {
        var frame = await NextDataAsync();
        Assert.True(frame.Type == type && frame.CallId == id, $"{type} of call {id} expected: {frame}\n{Tail}");
        return frame;
    }

    public async Task<Received> ExpectResultAsync(ulong id)
    {
        await ExpectAsync(FrameType.Started, id);
        return await ExpectAsync(FrameType.Result, id);
    }

    public async Task<ErrorPayload> ExpectErrorAsync(ulong id)
    {
        await ExpectAsync(FrameType.Started, id);
        return ErrorPayload.Read((await ExpectAsync(FrameType.Error, id)).Payload);
    }

    /// <summary>The worker answers a PING: it has read the control channel, and everything before the PING.</summary>
    public async Task SettleControlAsync()
    {
        Ping(99);
        Assert.Equal(FrameType.Pong, (await NextControlAsync()).Type);
    }

    /// <summary>Returns when the worker has read everything on the control channel, and no thread of it runs or could run: what it may send it has sent.</summary>
    public async Task StandsStillAsync()
    {
        const int Looks = 3;
        await SettleControlAsync();
        var still = 0;
        Assert.True(await ProcFiles.EventuallyAsync(() => (still = ProcFiles.ThreadStates(ProcessId).Contains('R') ? 0 : still + 1) == Looks, TimeSpan.FromSeconds(Seconds)), $"The worker never stands still.\n{Tail}");
    }

    /// <summary>The last word, after the end of the data channel.</summary>
    public async Task<ByePayload> ExpectByeAsync()
    {
        Received frame;
        while ((frame = await NextControlAsync()).Type != FrameType.Bye)
        {
        }

        return ByePayload.Read(frame.Payload);
    }

    public Task<ExitReport> ExitAsync() => _handle.Exited.WithinAsync(Seconds);

    public bool IsQuiet => _data.Reader.Count == 0;

    public async ValueTask DisposeAsync()
    {
        _handle.Kill();
        await _handle.Exited;
        _handle.Data.End();
        _handle.Control.End();
        await Task.WhenAll(DiscardAsync(_data), DiscardAsync(_control)).WithinAsync(Seconds);
        await _handle.DisposeAsync();
    }

    // A channel completes when it is empty, and a test does not read everything.
    private static async Task DiscardAsync(Channel<Received> channel)
    {
        try
        {
            await foreach (var _ in channel.Reader.ReadAllAsync())
            {
            }
        }
        catch (Exception)
        {
            // How a channel broke is for the test that reads it.
        }
    }

    private static byte[] Bytes(Action<FrameWriter> write)
    {
        using var frames = new FrameWriter();
        write(frames);
        using var bytes = new MemoryStream();
        while (frames.TryPeek(out var piece))
        {
            bytes.Write(piece.Span);
            frames.Consume(piece.Length);
        }

        return bytes.ToArray();
    }

    // The channel never waits; the test does.
    private static void Send(WorkerChannel channel, ReadOnlySpan<byte> bytes)
    {
        var start = TimeProvider.System.GetTimestamp();
        while (!bytes.IsEmpty)
        {
            var sent = channel.TrySend(bytes);
            if (sent < 0)
            {
                return;
            }

            bytes = bytes[sent..];
            if (sent == 0)
            {
                Assert.True(TimeProvider.System.GetElapsedTime(start) < TimeSpan.FromSeconds(Seconds), "The worker reads nothing.");
                Thread.Sleep(1);
            }
        }
    }

    private static async Task<Received?> NextAsync(Channel<Received> frames)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(Seconds));
        return await frames.Reader.WaitToReadAsync(patience.Token) && frames.Reader.TryRead(out var frame) ? frame : null;
    }

    // Bounded by what a test lets its worker send.
    private static Channel<Received> Read(WorkerChannel channel, FrameRoute route)
    {
        var received = Channel.CreateUnbounded<Received>();
        new Thread(() =>
        {
            try
            {
                using var frames = new FrameReader(route);
                int count;
                while ((count = channel.Receive(frames.GetSpan())) > 0)
                {
                    frames.Advance(count);
                    while (frames.TryRead(out var frame))
                    {
                        received.Writer.TryWrite(new Received(frame.Type, frame.Flags, frame.CallId, frame.Payload.ToArray()));
                    }
                }

                received.Writer.Complete();
            }
            catch (Exception broken)
            {
                received.Writer.Complete(broken);
            }
        })
        { IsBackground = true, Name = $"test {route}" }.Start();
        return received;
    }

    internal sealed record Received(FrameType Type, FrameFlags Flags, ulong CallId, byte[] Payload)
    {
        internal string Text => Encoding.UTF8.GetString(Payload);

        public override string ToString() => $"{Type} {Flags} of call {CallId}: {Encoding.UTF8.GetString(Payload.AsSpan(0, Math.Min(Payload.Length, 2000)))}";
    }
}
