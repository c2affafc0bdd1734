using System.Buffers;
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using Weir.Runtime;

namespace Weir.Lab.Micro;

/// <summary>A small object as JSON, into a buffer that is used again.</summary>
[MemoryDiagnoser]
public class ObjectEncoding
{
    private static readonly Echo Value = new(1_234_567, "sensor", 617_283.5);

    private readonly ArrayBufferWriter<byte> _buffer = new();
    private readonly PayloadWriter _payload = new();
    private readonly Call _call = Generated.CallOf(nameof(Perf.Echo));
    private readonly Utf8JsonWriter _json;

    public ObjectEncoding()
    {
        _json = new Utf8JsonWriter(_buffer);
        _call.Result = Value;
    }

    [Benchmark(Baseline = true)]
    public int Serializer()
    {
        Begin();
        JsonSerializer.Serialize(_json, Value, JsonSerializerOptions.Web);
        return _buffer.WrittenCount;
    }

    [Benchmark]
    public int GeneratedSerializer()
    {
        Begin();
        JsonSerializer.Serialize(_json, Value, EchoJson.Default.Echo);
        return _buffer.WrittenCount;
    }

    [Benchmark]
    public int Weir()
    {
        _payload.Clear();
        _call.WriteResult(_payload, ResultEncoding.Json);
        return _payload.Length;
    }

    private void Begin()
    {
        _buffer.ResetWrittenCount();
        _json.Reset(_buffer);
    }
}
