using System.Runtime.CompilerServices;
using Weir;

namespace WeirApp;

[Service]
public sealed class Hello
{
    [Get]
    public string World() => "Hello, world";
}

[Service]
public sealed class Weather
{
    [Get]
    public async IAsyncEnumerable<int> Next(int days, int delay, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var i = 0; i < days; i++)
        {
            await Task.Delay(delay, ct);
            yield return i;
        }
    }
}
