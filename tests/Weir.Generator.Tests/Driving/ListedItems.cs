using Weir.Runtime;

namespace Weir.Generator.Tests.Driving;

/// <summary>One item as it travels.</summary>
internal sealed record EncodedItem(ResultEncoding Encoding, byte[] Bytes);

/// <summary>Hands out a list of encoded items, as a door does with a streamed body and a worker with frames.</summary>
internal sealed class ListedItems(params EncodedItem[] items) : ItemReader
{
    private int _index = -1;

    public ListedItems(params string[] json)
        : this([.. json.Select(static one => new EncodedItem(ResultEncoding.Json, System.Text.Encoding.UTF8.GetBytes(one)))])
    {
    }

    public string From { get; init; } = "body";

    public JsonValueSerializer? With { get; init; }

    public override JsonValueSerializer? Serializer => With;

    public int Taken => _index + 1;

    public bool IsStopped { get; private set; }

    public override string Source => From;

    public override ReadOnlyMemory<byte> Current => items[_index].Bytes;

    public override ResultEncoding CurrentEncoding => items[_index].Encoding;

    public override async ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken)
    {
        await Task.Yield();
        return ++_index < items.Length;
    }

    public override ValueTask StopAsync()
    {
        IsStopped = true;
        return default;
    }

    /// <summary>The items of a call as its host sends them.</summary>
    public static async Task<List<EncodedItem>> Send(Call call)
    {
        var sent = new List<EncodedItem>();
        await using var source = call.OpenItems(CancellationToken.None);
        while (await source.MoveNextAsync())
        {
            using var output = new PayloadWriter();
            source.WriteCurrent(output);
            sent.Add(new EncodedItem(source.CurrentEncoding, output.WrittenSpan.ToArray()));
        }

        return sent;
    }
}
