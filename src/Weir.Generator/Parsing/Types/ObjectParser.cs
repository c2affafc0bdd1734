using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Types;

/// <summary>Reads the members of an exchanged record, class or structure, and how one is made.</summary>
internal sealed class ObjectParser(ValueParser values, Compilation compilation)
{
    private const string Json = "System.Text.Json.Serialization";

    // The values of JsonIgnoreCondition, which the generator's own framework does not have.
    private const int JsonIgnoreNever = 0;
    private const int JsonIgnoreWhenWritingDefault = 2;
    private const int JsonIgnoreWhenWritingNull = 3;
    private const int JsonIgnoreWhenWriting = 4;
    private const int JsonIgnoreWhenReading = 5;

    public (TypeModel? Model, TypeFailure? Failure) Parse(INamedTypeSymbol type, string codec)
    {
        var properties = Properties(type);
        if (ObjectConstructor.Choose(type, properties, out var refusal) is not { } constructor)
        {
            return (null, new TypeFailure("", $"{type.Name}, {refusal}"));
        }

        if (UsageErrors.Of(compilation, constructor) is { } marked)
        {
            return (null, new TypeFailure("", $"{type.Name}, whose constructor is {marked}") { IsForSerializer = true });
        }

        var setsRequired = constructor.Of("System.Diagnostics.CodeAnalysis", "SetsRequiredMembersAttribute") is not null;
        if (UnboundMembers.Find(type, constructor, setsRequired) is { } lost)
        {
            return (null, lost);
        }

        var members = new List<MemberModel>();
        foreach (var property in properties.OrderBy(Order))
        {
            var parameter = constructor.Parameters.FirstOrDefault(one => ObjectConstructor.Matches(one, property));
            var member = Member(property, parameter, setsRequired, out var failure);
            if (failure is not null)
            {
                return (null, failure.Below("." + property.Name));
            }

            if (member is null)
            {
                continue;
            }

            if (members.FirstOrDefault(other => string.Equals(other.JsonName, member.JsonName, StringComparison.OrdinalIgnoreCase)) is { } twin)
            {
                return (null, new TypeFailure("." + property.Name, $"the member '{member.JsonName}', the same as {twin.Property}: names in JSON ignore case"));
            }

            members.Add(member);
        }

        if (members.Count == 0 && type.GetMembers().Any(static one => one is IFieldSymbol { IsStatic: false, DeclaredAccessibility: Accessibility.Public }))
        {
            return (null, new TypeFailure("", $"{type.Name}, which has fields and no properties, and only properties are sent; make them properties"));
        }

        var display = TypeNames.ForPeople(TypeNames.Core(type));
        return (new ObjectModel(TypeNames.ForCode(type), codec, display, type.IsValueType, members.ToEquatableArray()), null);
    }

    /// <summary>The public readable properties in the serializer's order: those of base classes last, each once.</summary>
    public static List<IPropertySymbol> Properties(INamedTypeSymbol type)
    {
        var properties = new List<IPropertySymbol>();
        foreach (var level in type.SelfAndBases().DefaultIfEmpty(type))
        {
            foreach (var property in level.GetMembers().OfType<IPropertySymbol>())
            {
                if (property is not { IsStatic: false, IsIndexer: false, DeclaredAccessibility: Accessibility.Public, GetMethod.DeclaredAccessibility: Accessibility.Public })
                {
                    continue;
                }

                if (!properties.Exists(other => other.Name == property.Name))
                {
                    properties.Add(property);
                }
            }
        }

        return properties;
    }

    private MemberModel? Member(IPropertySymbol property, IParameterSymbol? parameter, bool setsRequired, out TypeFailure? failure)
    {
        failure = Refusal(property) ?? Unusable(property);
        var (isRead, condition) = Ignore(property);
        var isRequired = (property.IsRequired && !setsRequired) || property.Of(Json, "JsonRequiredAttribute") is not null;
        if (!isRead && (parameter is not null || isRequired))
        {
            failure ??= new TypeFailure("", "ignored, but the object cannot be created without it; remove [JsonIgnore], or the 'required' or constructor parameter that needs it");
        }

        var slot = isRead ? Slot(property, parameter, isRequired) : MemberSlot.None;
        if (failure is not null || (slot == MemberSlot.None && condition == WriteCondition.Never))
        {
            return null;
        }

        if (slot == MemberSlot.Accessor && InitAccessor.IsAmbiguous(property))
        {
            failure = new TypeFailure("", "an 'init' property in a generic type whose type parameter has the name of an outer one's, so generated code cannot declare it; rename the type parameter") { IsForSerializer = true };
            return null;
        }

        var written = values.ParseMember(property.Type, out failure);
        var read = parameter is null || failure is not null ? written : values.ParseMember(parameter.Type, out failure);
        return written is null || read is null ? null : new MemberModel(
            property.Name,
            JsonName(property),
            read,
            written,
            slot,
            parameter?.Ordinal ?? -1,
            parameter is null || isRequired ? null : Absent(read, parameter, condition),
            condition,
            slot == MemberSlot.Accessor ? InitAccessor.Of(property) : null);
    }

    /// <summary>Whether callers cannot send the member: <c>[JsonIgnore]</c>.</summary>
    public static bool IsUnread(IPropertySymbol property) => !Ignore(property).IsRead;

    /// <summary>The place that an attribute gives a member; members of the same place stay as declared.</summary>
    public static int Order(ISymbol member) =>
        member.Of(Json, "JsonPropertyOrderAttribute")?.ConstructorArguments.FirstOrDefault().Value as int? ?? 0;

    /// <summary>The value of a constructor's parameter that was not sent: the declared default, null, or the type's default if defaults are not written.</summary>
    private static string? Absent(ValueModel read, IParameterSymbol parameter, WriteCondition condition) =>
        parameter.HasExplicitDefaultValue && DefaultValues.Of(parameter) is { } literal
            ? literal
            : read.IsNullable ? "null" : condition is WriteCondition.NotDefault ? "default" : null;

    private static TypeFailure? Refusal(IPropertySymbol property)
    {
        return ObjectShape.UnreadAttribute(property) is { } attribute && !IsEnumNames(property)
            ? new TypeFailure("", $"marked [{attribute}], which generated code does not support; remove it") { IsForSerializer = true }
            : null;
    }

    private TypeFailure? Unusable(IPropertySymbol property) =>
        new ISymbol?[] { property, property.GetMethod, property.SetMethod }.Where(static one => one is not null).Select(one => UsageErrors.Of(compilation, one!)).FirstOrDefault(static one => one is not null) is { } marked
            ? new TypeFailure("", marked) { IsForSerializer = true }
            : null;

    /// <summary>Whether its converter changes nothing: enums are written as names anyway.</summary>
    public static bool IsEnumNames(ISymbol member) =>
        member.Of(Json, "JsonConverterAttribute")?.Type()?.Name == "JsonStringEnumConverter";

    /// <summary>The name of a member in JSON.</summary>
    public static string JsonName(ISymbol member) => member.Of(Json, "JsonPropertyNameAttribute")?.Text() ?? Naming.Camel(member.Name);

    /// <summary>Whether callers can send the member, and when it is written.</summary>
    public static (bool IsRead, WriteCondition Condition) Ignore(ISymbol member) =>
        member.Of(Json, "JsonIgnoreAttribute") is not { } attribute ? (true, WriteCondition.Always) : attribute.Named("Condition") switch
        {
            JsonIgnoreNever => (true, WriteCondition.Always),
            JsonIgnoreWhenWritingDefault => (true, WriteCondition.NotDefault),
            JsonIgnoreWhenWritingNull => (true, WriteCondition.NotNull),
            JsonIgnoreWhenWriting => (true, WriteCondition.Never),
            JsonIgnoreWhenReading => (false, WriteCondition.Always),
            _ => (false, WriteCondition.Never),
        };

    private static MemberSlot Slot(IPropertySymbol property, IParameterSymbol? parameter, bool isRequired) => property switch
    {
        _ when parameter is not null => MemberSlot.Constructor,
        { SetMethod: null or { DeclaredAccessibility: not Accessibility.Public } } => MemberSlot.None,
        _ when isRequired => MemberSlot.Initializer,
        { SetMethod.IsInitOnly: true } => MemberSlot.Accessor,
        _ => MemberSlot.Setter,
    };
}
