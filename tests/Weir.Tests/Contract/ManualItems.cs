using System.Text;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Items that arrive when the test gives them.</summary>
internal sealed class ManualItems : ItemReader
{
    private TaskCompletionSource<bool>? _next;
    private byte[] _current = [];

    public int Asked { get; private set; }

    public int Stopped { get; private set; }

    public override string Source => "body";

    public override ReadOnlyMemory<byte> Current => _current;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        Asked++;
        _next = new TaskCompletionSource<bool>();
        return new ValueTask<bool>(_next.Task.WaitAsync(cancellationToken));
    }

    public override ValueTask StopAsync()
    {
        Stopped++;
        return default;
    }

    public void Arrive(string json)
    {
        _current = Encoding.UTF8.GetBytes(json);
        _next!.SetResult(true);
    }

    public void End() => _next!.SetResult(false);

    public void Fail(Exception failure) => _next!.SetException(failure);
}

/// <summary>Integers as items, written as by the generator.</summary>
internal sealed class NumberItems : ItemCodec<int>
{
    public static NumberItems Instance { get; } = new();

    public override void Write(PayloadWriter output, int item) =>
        Scalars.Int32.Write(output, item);

    protected override int Read(ref Utf8JsonReader reader, BindingErrorList errors) => JsonValues.Read(ref reader, errors, Scalars.Int32);
}
