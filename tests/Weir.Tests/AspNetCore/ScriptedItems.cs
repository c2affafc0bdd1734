using System.Globalization;
using System.Text;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

/// <summary>An asynchronous producer that the test controls: each advance waits until the test gives an item.</summary>
internal sealed class ScriptedItems : ItemSource
{
    private TaskCompletionSource<bool> _next = new();
    private string _current = "";
    private TaskCompletionSource? _requested;

    /// <summary>How often an item was requested.</summary>
    internal int Asked { get; private set; }

    /// <summary>Called while an item is encoded.</summary>
    internal Action? WhileEncoding { get; set; }

    /// <summary>Whether the next item is awaited.</summary>
    internal bool IsRequested { get; private set; }

    public override ValueTask<bool> MoveNextAsync()
    {
        Asked++;
        IsRequested = true;
        _requested?.TrySetResult();
        return new ValueTask<bool>(_next.Task);
    }

    public override void WriteCurrent(PayloadWriter output)
    {
        output.Write(Encoding.UTF8.GetBytes(_current));
        WhileEncoding?.Invoke();
    }

    public override ValueTask DisposeAsync() => default;

    /// <summary>Completes when the next item is awaited.</summary>
    internal Task RequestedAsync()
    {
        _requested = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return IsRequested ? Task.CompletedTask : _requested.Task;
    }

    internal void Give(string json) => Answer(json, next => next.SetResult(true));

    internal void Give(int number) => Give(number.ToString(CultureInfo.InvariantCulture));

    internal void End() => Answer("", next => next.SetResult(false));

    internal void Fail(Exception error) => Answer("", next => next.SetException(error));

    // The continuation runs inline: the pump has taken the item when this returns.
    private void Answer(string json, Action<TaskCompletionSource<bool>> answer)
    {
        var next = _next;
        IsRequested = false;
        _next = new TaskCompletionSource<bool>();
        _current = json;
        answer(next);
    }
}

/// <summary>A blocking producer: each step runs inside <c>MoveNext</c>, on the pump's thread, and gives an item.</summary>
internal sealed class BlockingItems(params Func<string?>[] steps) : BlockingItemSource
{
    private int _step;
    private string _current = "";

    /// <summary>How many items were requested.</summary>
    internal int Asked => _step;

    public override bool MoveNext()
    {
        var next = _step < steps.Length ? steps[_step]() : null;
        _step++;
        _current = next ?? "";
        return next is not null;
    }

    public override void WriteCurrent(PayloadWriter output) => output.Write(Encoding.UTF8.GetBytes(_current));

    protected override void Dispose(bool disposing)
    {
    }
}

/// <summary>Items as a worker encoded them, all available.</summary>
internal sealed class EncodedItems(params string[] items) : EncodedItemSource
{
    private int _next;

    public override ReadOnlyMemory<byte> Current => Encoding.UTF8.GetBytes(items[_next - 1]);

    public override ValueTask<bool> MoveNextAsync() => new(_next++ < items.Length);

    public override ValueTask DisposeAsync() => default;
}
