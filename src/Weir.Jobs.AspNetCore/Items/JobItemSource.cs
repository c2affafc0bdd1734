using Microsoft.AspNetCore.Http;
using Weir.Jobs.Running;
using Weir.Runtime;

namespace Weir.Jobs.AspNetCore.Items;

/// <summary>The items of a job for one response. Used by one flow.</summary>
/// <param name="reader">Reads them.</param>
/// <param name="http">The request: its token ends a wait.</param>
internal sealed class JobItemSource(JobItemReader reader, HttpContext http) : ItemSource
{
    // As many as the store reads at once: about 1 MB.
    private IReadOnlyList<ReadOnlyMemory<byte>> _items = [];
    private int _current = -1;

    /// <summary>Whether it has failed because the items are not there any more.</summary>
    public bool IsGone => reader.IsGone;

    /// <summary>Whether it has failed because the job has.</summary>
    public bool HasEnded => reader.HasEnded;

    public override ValueTask<bool> MoveNextAsync() => ++_current < _items.Count ? new ValueTask<bool>(true) : ReadAsync();

    public override void WriteCurrent(PayloadWriter output) => output.Write(_items[_current].Span);

    // Bytes are stored as one text in base64, as they are in JSON.
    public override void WriteRawCurrent(PayloadWriter output)
    {
        var json = new System.Text.Json.Utf8JsonReader(_items[_current].Span);
        json.Read();
        output.Write(json.GetBytesFromBase64());
    }

    public override ValueTask DisposeAsync()
    {
        reader.Dispose();
        return default;
    }

    private async ValueTask<bool> ReadAsync()
    {
        (_items, _current) = (await reader.ReadAsync(http.RequestAborted) ?? [], 0);
        return _items.Count > 0;
    }
}
