namespace Weir.Runtime;

/// <summary>The items of a streamed request that code supplies, each validated before the operation gets it.</summary>
internal sealed class ValidatedItems<T>(IAsyncEnumerable<T> items, ItemCodec<T> codec, string parameter, IServiceProvider? services) : IAsyncEnumerable<T>
{
    public async IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        var errors = new BindingErrorList { Source = "code" };
        var validator = new ArgumentValidator(errors, services);
        var index = 0L;
        await foreach (var item in items.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            errors.Enter(parameter);
            errors.Enter((int)Math.Min(index++, int.MaxValue));
            codec.Validate(item, validator);
            errors.LeaveTo(0);
            errors.ThrowIfAny();
            yield return item;
        }
    }
}
