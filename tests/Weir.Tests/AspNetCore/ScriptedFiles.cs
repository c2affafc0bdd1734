using System.Text;
using Weir.Runtime;

namespace Weir.Tests.AspNetCore;

/// <summary>Items of files that are known before: text that begins with a brace is a descriptor, other text is bytes. Then they end, or fail.</summary>
internal sealed class ScriptedFiles(params string[] script) : ItemReader
{
    private int _next;

    internal Exception? Failure { get; init; }

    internal int Released { get; private set; }

    internal int Stopped { get; private set; }

    public override string Source => "frame";

    public override ReadOnlyMemory<byte> Current => Released < _next ? Encoding.UTF8.GetBytes(script[_next - 1]) : throw new InvalidOperationException("the item was released");

    public override ResultEncoding CurrentEncoding => script[_next - 1].StartsWith('{') ? ResultEncoding.Json : ResultEncoding.Raw;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Assert.Equal(Released, _next);
        if (_next < script.Length)
        {
            _next++;
            return new(true);
        }

        return Failure is null ? new(false) : ValueTask.FromException<bool>(Failure);
    }

    public override void Release() => Released++;

    public override ValueTask StopAsync()
    {
        Stopped++;
        return default;
    }
}
