using System.Runtime.CompilerServices;
using Weir;

namespace Showcase;

/// <summary>Many small values: streamed in constant memory, or gathered in an array first.</summary>
[Service]
public sealed class Guids
{
    [Get]
    public async IAsyncEnumerable<string> Stream(int count, [EnumeratorCancellation] CancellationToken ct = default)
    {
        Require.NotNegative(count);
        for (var i = 0; i < count; i++)
        {
            ct.ThrowIfCancellationRequested();
            yield return Guid.NewGuid().ToString();
        }
    }

    [Get]
    public string[] Array(int count)
    {
        Require.Gatherable(count);
        var guids = new string[count];
        for (var i = 0; i < count; i++)
        {
            guids[i] = Guid.NewGuid().ToString();
        }

        return guids;
    }
}
