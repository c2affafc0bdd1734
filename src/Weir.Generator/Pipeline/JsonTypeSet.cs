using Weir.Generator.Model;

namespace Weir.Generator.Pipeline;

/// <summary>Collects what the serializer has to know about the types of an assembly's operations.</summary>
internal static class JsonTypeSet
{
    /// <summary><c>null</c> in an assembly without services.</summary>
    public static JsonTypesModel? Of(EquatableArray<ParsedService> parsed)
    {
        var services = ServiceSet.Of(parsed).ToList();
        var served = services.Where(static one => one.IsServedOverHttp).SelectMany(static one => one.Operations).SelectMany(Values).ToList();
        var isolated = services.SelectMany(static one => one.Operations).Where(static one => one.Placement == "Isolated").SelectMany(Values);
        return services.Count == 0 ? null : new JsonTypesModel(
            TypeSet.Of(parsed).Select(static one => one.Type).OfType<EnumModel>().Select(static one => new EnumCodecModel(one.Type, one.Codec)).ToEquatableArray(),
            Types(served.Where(IsSerialized)),
            Types(served),
            Types(isolated.Where(IsSerialized)));
    }

    // A list that may come from a query is read element by element, also from JSON.
    private static IEnumerable<ValueModel> Values(OperationModel operation) =>
        operation.Parameters.Where(static one => one.IsValue || one.IsItems).Select(static one => one.IsTextList ? one.Value.Element! : one.Value)
            .Concat(operation.Result.Value is { } result ? [result] : [])
            .Where(static one => one is { Kind: not ValueKind.Opaque, IsBytes: false, IsParsed: false });

    private static bool IsSerialized(ValueModel value) => value.Kind == ValueKind.Serialized;

    private static EquatableArray<string> Types(IEnumerable<ValueModel> values) =>
        values.Select(static one => one.RuntimeType).Distinct().ToEquatableArray();
}
