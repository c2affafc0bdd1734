using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>Reads what a method returns.</summary>
internal sealed class ResultParser(ValueParser values, Findings findings)
{
    /// <summary>How a method returns its result, and the type of the value or item; <c>null</c> for nothing.</summary>
    public static (MethodShape Shape, ITypeSymbol? Type) ShapeOf(IMethodSymbol method)
    {
        var type = method.ReturnType;
        if (type.Is("System.Threading.Tasks", "Task"))
        {
            return (MethodShape.Task, null);
        }

        if (type.Is("System.Threading.Tasks", "ValueTask"))
        {
            return (MethodShape.ValueTask, null);
        }

        return type.ArgumentOf("System.Threading.Tasks", "Task`1") is { } task ? (MethodShape.Task, task)
            : type.ArgumentOf("System.Threading.Tasks", "ValueTask`1") is { } valueTask ? (MethodShape.ValueTask, valueTask)
            : type.ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1") is { } item ? (MethodShape.AsyncStream, item)
            : type.ArgumentOf("System.Threading.Channels", "ChannelReader`1") is { } read ? (MethodShape.Channel, read)
            : type.ArgumentOf("System.Collections.Generic", "IEnumerable`1") is { } yielded ? (MethodShape.BlockingStream, yielded)
            : (MethodShape.Synchronous, method.ReturnsVoid ? null : type);
    }

    /// <summary>The result; <c>null</c>, with errors reported, when it cannot be written.</summary>
    public ResultModel? Parse(string operation, IMethodSymbol method)
    {
        var stream = method.Inherited("StreamAttribute");
        var (shape, type) = ShapeOf(method);
        var isStream = shape is MethodShape.AsyncStream or MethodShape.Channel or MethodShape.BlockingStream;
        if (method.ReturnsByRef || method.ReturnsByRefReadonly)
        {
            findings.Report(WeirCodes.ResultType, method, operation, "it is returned by reference, and only copies are sent to callers; return the value");
            return null;
        }

        if (shape != MethodShape.Synchronous && TypeNames.IsNullable(method.ReturnType))
        {
            var given = TypeNames.ForPeople(TypeNames.Core(method.ReturnType));
            findings.Report(WeirCodes.ResultType, method, operation, $"it is {given} or null, and null cannot be awaited or enumerated; remove the '?' after {given}");
            return null;
        }

        if (stream is not null && !isStream)
        {
            var given = TypeNames.ForPeople(method.ReturnType);
            findings.Report(
                WeirCodes.BlockingShape, stream.Place(method), operation,
                $"[Stream] fits a method that returns IAsyncEnumerable<T>, ChannelReader<T> or IEnumerable<T>, not {given}; remove it");
            return null;
        }

        if (UnmarkedSequence(shape, type, stream) is { } item)
        {
            var list = TypeNames.ForPeople(item) + "[]";
            findings.Report(
                WeirCodes.UnmarkedSequence, method, operation, TypeNames.ForPeople(method.ReturnType),
                shape == MethodShape.BlockingStream ? $"mark it [Stream] to stream it from the lane, or return {list}" : $"return {method.ReturnType.Name}<{list}>, or IAsyncEnumerable<{TypeNames.ForPeople(item)}>");
            return null;
        }

        if (type is null)
        {
            return new ResultModel(shape, "None", null, "Adaptive");
        }

        if (!isStream && HostOnlyTypes.IsResult(type))
        {
            return new ResultModel(shape, "Http", ValueParser.Opaque(type), "Adaptive") { DescribesEndpoint = HostOnlyTypes.DescribesEndpoint(type) };
        }

        if (!isStream && HostOnlyTypes.IsByteStream(type))
        {
            return new ResultModel(shape, "Raw", ValueParser.Opaque(type), "Adaptive");
        }

        if (values.Parse(type, out var failure) is not { } value)
        {
            if (!failure!.IsUnknown)
            {
                findings.Report(WeirCodes.ResultType, method, operation, failure.Describe(TypeNames.ForPeople(TypeNames.Core(type))));
            }

            return null;
        }

        return new ResultModel(shape, isStream ? "Stream" : KindOf(value), value, Flush(stream));
    }

    // A task of an IEnumerable<T> would yield after the call completed; it is refused, as IEnumerable<T> alone is.
    private static ITypeSymbol? UnmarkedSequence(MethodShape shape, ITypeSymbol? type, AttributeData? stream) =>
        shape == MethodShape.BlockingStream && stream is null
            ? type
            : shape is MethodShape.Task or MethodShape.ValueTask ? type?.ArgumentOf("System.Collections.Generic", "IEnumerable`1") : null;

    private static string KindOf(ValueModel value) =>
        value.CoreType == "string" ? "Text" : value.IsBytes ? "Bytes" : "Value";

    private static string Flush(AttributeData? stream) => stream?.Named("Flush") switch
    {
        1 => "Item",
        2 => "Bulk",
        _ => "Adaptive",
    };
}
