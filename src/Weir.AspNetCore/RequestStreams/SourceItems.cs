using System.Diagnostics.CodeAnalysis;
using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>The files of a form that other code of the application has read before: each item is written when it is requested.</summary>
/// <param name="source">The files.</param>
[SuppressMessage("Design", "CA1001", Justification = "The buffer is left to the collector: code of an abandoned call may still read it.")]
internal sealed class SourceItems(ItemSource source) : ItemReader
{
    private readonly PayloadWriter _item = new();

    public override string Source => "form";

    public override ReadOnlyMemory<byte> Current => _item.WrittenMemory;

    public override ResultEncoding CurrentEncoding => source.CurrentEncoding;

    public override async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _item.Clear();
        if (!await source.MoveNextAsync())
        {
            await StopAsync();
            return false;
        }

        source.WriteCurrent(_item);
        return true;
    }

    public override ValueTask StopAsync() => source.DisposeAsync();
}
