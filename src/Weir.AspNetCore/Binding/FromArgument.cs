using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>
/// The argument <c>from</c> of an operation that produces its items again from an index on. A request that continues a stream sends the index
/// of the last item it received, and that replaces what the query says. Immutable; used concurrently.
/// </summary>
internal sealed class FromArgument
{
    private const string Name = "from";
    private const string Expected = "the index of an item, a whole number of 0 or more";

    private readonly Parameter _parameter;
    private readonly int _position;

    private FromArgument(Parameter parameter, int position) => (_parameter, _position) = (parameter, position);

    /// <summary>The argument of an operation; <c>null</c> where it has none.</summary>
    /// <exception cref="InvalidOperationException">The operation says that it has the parameter, and has none.</exception>
    internal static FromArgument? Of(Operation operation)
    {
        if (operation.Resumption != Resumption.Source)
        {
            return null;
        }

        for (var position = 0; position < operation.Parameters.Count; position++)
        {
            if (operation.Parameters[position].Name == Name)
            {
                return new FromArgument(operation.Parameters[position], position);
            }
        }

        throw new InvalidOperationException($"{operation} is resumable by its source, and has no parameter '{Name}'.");
    }

    /// <summary>Sets the argument to where the request continues. What is wrong becomes a binding error. After the arguments are bound.</summary>
    internal void Bind(Call call, IHeaderDictionary headers, BindingErrorList errors)
    {
        if (headers.TryGetValue(LastEventId.Header, out var values))
        {
            if (values.Count == 1 && LastEventId.TryParseIndex(values[0], out var last) && last is >= 0 and < long.MaxValue)
            {
                call.SetArgument(_position, last + 1);
                return;
            }

            errors.Source = "header";
            errors.Add(LastEventId.Header, values.Count > 1 ? BindingErrorReason.Duplicate : BindingErrorReason.Invalid, Expected);
        }
        else if (Read(call) < 0)
        {
            errors.Source = "query";
            errors.Add(_parameter.WireName, BindingErrorReason.Invalid, Expected);
        }
    }

    /// <summary>The index of the first item.</summary>
    internal long Read(Call call) => (long)call.GetArgument(_position)!;
}
