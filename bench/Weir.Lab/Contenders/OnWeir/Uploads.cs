using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Bodies: raw, as JSON, and item by item; read by the host, or for a worker.</summary>
[Service]
public sealed class Uploads
{
    private const string Pool = "tasks";

    public int Size(ReadOnlyMemory<byte> data) => data.Length;

    public int Order(Order order) => order.Pieces();

    [Isolated(Pool)]
    public int WorkerSize(ReadOnlyMemory<byte> data) => data.Length;

    [Isolated(Pool)]
    public async Task<long> WorkerSum(IAsyncEnumerable<int> numbers)
    {
        var sum = 0L;
        await foreach (var number in numbers)
            sum += number;
        return sum;
    }

    /// <summary>What a caller beside the others wants of the same pool.</summary>
    [Get, Isolated(Pool)]
    public string WorkerHello() => "Hello, world";
}
