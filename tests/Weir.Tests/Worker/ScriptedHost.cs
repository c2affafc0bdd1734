using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Protocol;
using Weir.Worker.Session;

namespace Weir.Tests.Worker;

/// <summary>A host that the test controls, with a real worker session.</summary>
internal sealed class ScriptedHost : IDisposable
{
    private static readonly byte[] WakeByte = [1];

    private readonly MemoryChannel _data = new();
    private readonly MemoryChannel _control = new();
    private readonly FrameReader _dataReader = new(FrameRoute.DataUp);
    private readonly FrameReader _controlReader = new(FrameRoute.ControlUp);
    private readonly Thread _thread;
    private readonly WorkerSession _session;

    // The shared memory, once the worker has chosen it.
    private AllocatedRegion? _shared;

    internal ScriptedHost(params ServiceCatalog[] catalogs)
        : this(() => catalogs)
    {
    }

    internal ScriptedHost(Func<IReadOnlyList<ServiceCatalog>> load, AllocatedRegion? region = null, Action? prepare = null, Action? warmUp = null)
    {
        if (region is not null)
        {
            region.IsWorkers = true;
        }

        _session = new WorkerSession(_data, _control, End, Time, () => region?.Address ?? 0, prepare ?? (static () => { }), warmUp ?? (static () => { }));
        _thread = new Thread(() => _session.Run(load));
        _thread.Start();
    }

    internal ManualTime Time { get; } = new();

    internal RecordedEnd End { get; } = new();

    internal MemoryPipe DataDown => _data.Down;

    internal MemoryPipe DataUp => _data.Up;

    internal MemoryPipe ControlDown => _control.Down;

    internal MemoryPipe ControlUp => _control.Up;

    /// <summary>The data thread of the worker.</summary>
    internal Thread DataThread => _thread;

    /// <summary>A worker of <paramref name="catalog"/> that has sent READY.</summary>
    internal static ScriptedHost Ready(ServiceCatalog catalog, Capabilities capabilities = Capabilities.None, byte leastLogLevel = 2, int mostPayload = FrameReader.DefaultMostPayload, AllocatedRegion? region = null)
    {
        var host = new ScriptedHost(() => [catalog], region);
        capabilities |= region is null ? Capabilities.None : Capabilities.SharedMemory;
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Capabilities = capabilities, LeastLogLevel = leastLogLevel, MostPayload = mostPayload }.Write);
        Assert.Equal(FrameType.Ready, host.NextControl().Type);
        host._shared = region;
        return host;
    }

    internal void Data(Action<FrameWriter> write) => Data(Protocol.Wire.Bytes(write));

    internal void Data(ReadOnlySpan<byte> bytes)
    {
        if (_shared is null)
        {
            Assert.True(_data.Down.Write(bytes));
            return;
        }

        // All bytes at once: there is space for what a test sends.
        Assert.Equal(bytes.Length, _shared.Host.Send(bytes, out var isWoken));
        if (isWoken)
        {
            Assert.True(_data.Down.Write(WakeByte));
        }
    }

    internal void Control(Action<FrameWriter> write) => Assert.True(_control.Down.Write(Protocol.Wire.Bytes(write)));

    /// <summary>Sends a call of the operation at <paramref name="operation"/> with one text argument and one of bytes.</summary>
    internal void Call(ulong id, int operation, string? text = "x", byte[]? data = null, ResultEncoding encoding = ResultEncoding.Json, uint credit = 0, long remaining = -1, string? trace = null) =>
        Data(CallOf(id, operation, text, data, encoding, credit, remaining, trace));

    /// <summary>The same for several calls that the worker reads at once.</summary>
    internal void Calls(params Action<FrameWriter>[] calls) => Data(w =>
    {
        foreach (var call in calls)
        {
            call(w);
        }
    });

    internal static Action<FrameWriter> CallOf(ulong id, int operation, string? text = "x", byte[]? data = null, ResultEncoding encoding = ResultEncoding.Json, uint credit = 0, long remaining = -1, string? trace = null) =>
        w =>
        {
            var call = CallWriter.Begin(w, id, new CallFields((ushort)operation, encoding, credit, remaining, trace));
            if (text is not null)
            {
                call.BeginPart(PartKind.Json);
                w.Write(System.Text.Encoding.UTF8.GetBytes($$"""{"text":"{{text}}"}"""));
                call.EndPart();
            }

            if (data is not null)
            {
                call.AddRaw(1, data);
            }

            call.End();
        };

    internal void Grant(ulong id, uint bytes) => Control(w => new CreditPayload(bytes).Write(w, id));

    internal void Cancel(ulong id) => Control(w => new CancelPayload(CancelReason.Caller).Write(w, id));

    internal void Drain(ulong last) => Control(w => w.Append(FrameType.Drain, last));

    /// <summary>Returns when the control thread has read everything sent before.</summary>
    internal void SettleControl()
    {
        Control(w => new PingPayload(99).Write(w, FrameType.Ping));
        while (NextControl() is var frame && frame.Type != FrameType.Pong)
        {
            Assert.Equal(FrameType.Log, frame.Type);
        }
    }

    internal Received NextData() => TryNextData() ?? throw new EndOfStreamException("The data channel has ended.");

    /// <summary>The next frame; <c>null</c> at the end of the channel.</summary>
    internal Received? TryNextData() => Next(_dataReader, Take);

    internal Received NextControl() => Next(_controlReader, buffer => _control.Up.Read(buffer, waitsForever: false)) ?? throw new EndOfStreamException("The control channel has ended.");

    /// <summary>Expects a frame of this type and call as the next one.</summary>
    internal Received ExpectData(FrameType type, ulong id)
    {
        var frame = NextData();
        Assert.Equal((type, id), (frame.Type, frame.CallId));
        return frame;
    }

    /// <summary>Expects STARTED, then RESULT.</summary>
    internal Received ExpectResult(ulong id)
    {
        ExpectData(FrameType.Started, id);
        return ExpectData(FrameType.Result, id);
    }

    /// <summary>Expects STARTED, then ERROR.</summary>
    internal ErrorPayload ExpectError(ulong id)
    {
        ExpectData(FrameType.Started, id);
        return ErrorPayload.Read(ExpectData(FrameType.Error, id).Payload);
    }

    internal Received ExpectControl(FrameType type)
    {
        var frame = NextControl();
        Assert.Equal(type, frame.Type);
        return frame;
    }

    /// <summary>Expects no further frame on the data channel.</summary>
    internal void ExpectDataEnd()
    {
        Assert.Equal(0, Take(new byte[1]));
    }

    public void Dispose()
    {
        _data.Down.End();
        _control.Down.End();
        _data.Up.End();
        _control.Up.End();
        Assert.True(_thread.Join(MemoryPipe.Patience));
        _session.Dispose();
        _dataReader.Dispose();
        _controlReader.Dispose();
    }

    // 0 at the end.
    private int Take(Span<byte> buffer)
    {
        if (_shared is null)
        {
            return _data.Up.Read(buffer, waitsForever: false);
        }

        Span<byte> wakeBytes = stackalloc byte[8];
        while (true)
        {
            var taken = _shared.Host.Take(buffer, out var isSpaceWanted);
            if (isSpaceWanted)
            {
                Control(static frames => frames.Append(FrameType.Space, 0));
            }

            if (taken > 0)
            {
                return taken;
            }

            if (_shared.Host.TrySleep() && _data.Up.Read(wakeBytes, waitsForever: false) == 0)
            {
                return _shared.Host.Take(buffer, out _);
            }
        }
    }

    private static Received? Next(FrameReader reader, Reading read)
    {
        Frame frame;
        while (!reader.TryRead(out frame))
        {
            var count = read(reader.GetSpan());
            if (count == 0)
            {
                reader.Complete();
                return null;
            }

            reader.Advance(count);
        }

        return new Received(frame.Type, frame.Flags, frame.CallId, frame.Payload.ToArray());
    }

    private delegate int Reading(Span<byte> buffer);

    internal sealed record Received(FrameType Type, FrameFlags Flags, ulong CallId, byte[] Payload)
    {
        internal string Text => System.Text.Encoding.UTF8.GetString(Payload);
    }
}
