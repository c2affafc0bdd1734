using BenchmarkDotNet.Attributes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Lab.Micro;

/// <summary>One call as a frame of the protocol between host and worker: written, and read again.</summary>
[MemoryDiagnoser]
public class CallFrames
{
    private readonly FrameWriter _writer = new();
    private readonly FrameReader _reader = new(FrameRoute.DataDown);
    private byte[] _frame = [];
    private BinaryArgument[] _arguments = [];

    [Params(0, 64, 1024)]
    public int Bytes { get; set; }

    [GlobalSetup]
    public void SetUp()
    {
        _arguments = [new BinaryArgument(0, new byte[Bytes])];
        Write();
        _ = _writer.TryPeek(out var written);
        _frame = written.ToArray();
        _writer.Consume(_frame.Length);
    }

    [Benchmark]
    public int Encode()
    {
        Write();
        _ = _writer.TryPeek(out var written);
        _writer.Consume(written.Length);
        return written.Length;
    }

    [Benchmark]
    public int Decode()
    {
        _reader.Append(_frame);
        if (!_reader.TryRead(out var frame))
            throw new InvalidOperationException("The frame is not whole.");

        var bytes = 0;
        foreach (var part in CallPayload.Read(frame.Memory).Parts)
            bytes += part.Bytes.Length;
        return bytes;
    }

    private void Write() => CallWriter.WriteShort(_writer, 1, new CallFields(1), default, _arguments);
}
