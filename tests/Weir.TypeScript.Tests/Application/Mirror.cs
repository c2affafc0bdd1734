using System.Runtime.CompilerServices;

namespace Weir.TypeScript.Tests.Application;

[Service]
public sealed class Mirror : IMirror
{
    public async IAsyncEnumerable<Everything> Back(IReadOnlyList<Everything> values, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await Task.Yield();
        foreach (var value in values)
        {
            yield return value;
        }
    }
}
