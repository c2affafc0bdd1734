using System.Runtime.CompilerServices;
using Weir.Runtime;

namespace Weir.Generator.Tests.Driving;

/// <summary>Runs calls of proxies at once and keeps the last one, with its token.</summary>
internal sealed class LocalInvoker(IServiceProvider services) : CallInvoker
{
    public Call? Last { get; private set; }

    public CancellationToken Token { get; private set; }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        (Last, Token) = (call, cancellationToken);
        call.Context = new OperationContext(call, services, cancellationToken);
        return call.InvokeAsync(call.Operation.Service.CreateInstance(services), cancellationToken);
    }

    public override async IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await RunAsync(call, cancellationToken);
        if (call.Source is AsyncItemSource<T> source)
        {
            await using (source)
            {
                while (await source.MoveNextAsync())
                {
                    yield return source.Current;
                }
            }

            yield break;
        }

        using var blocking = (BlockingItemSource<T>)call.BlockingSource!;
        while (blocking.MoveNext())
        {
            yield return blocking.Current;
        }
    }
}
