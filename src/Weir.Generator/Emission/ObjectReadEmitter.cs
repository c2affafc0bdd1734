using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how an exchanged type is read: every member into a local, then what is missing, then the object, then what was sent of what it can be made without.</summary>
internal sealed class ObjectReadEmitter(SourceWriter code, ObjectModel model)
{
    private const int BitsPerWord = 64;

    private readonly List<MemberModel> _read = model.Members.Where(static member => member.Slot != MemberSlot.None).ToList();

    public void Write()
    {
        code.Block($"if (!global::Weir.Runtime.JsonValues.BeginObject(ref reader, errors{(model.IsValueType ? ", isValue: true" : "")}))", () => code.Line($"return {Nothing};"));
        code.Line();
        Locals();
        code.Block("while (global::Weir.Runtime.JsonValues.NextMember(ref reader))", Members);
        code.Line();
        Missing();
        code.Block("if (errors.Count > before)", () => code.Line($"return {Nothing};"));
        code.Line();
        Make();
    }

    private string Nothing => model.IsValueType ? "default" : "null!";

    private void Locals()
    {
        code.Line("var before = errors.Count;");
        for (var word = 0; word * BitsPerWord < model.Members.Count; word++)
        {
            code.Line($"var seen{word} = 0UL;");
        }

        foreach (var member in _read)
        {
            code.Line($"{member.Read.Type} {Local(member)} = default!;");
        }
    }

    private void Members()
    {
        var keyword = "if";
        for (var index = 0; index < _read.Count; index++)
        {
            var (member, bit) = (_read[index], index);
            code.Block($"{keyword} ({NameIs(member)})", () => ReadMember(member, bit));
            keyword = "else if";
        }

        // A caller that sends an object back also sends members that the server only writes: they are known, and ignored.
        foreach (var (member, bit) in model.Members.Where(static member => member.Slot == MemberSlot.None).Select((member, index) => (member, _read.Count + index)))
        {
            code.Block($"{keyword} ({NameIs(member)})", () => BeginMember(member, bit, () => code.Line("reader.Skip();")));
            keyword = "else if";
        }

        if (keyword == "if")
        {
            code.Line("global::Weir.Runtime.JsonValues.SkipUnknownMember(ref reader, errors);");
        }
        else
        {
            code.Block("else", () => code.Line("global::Weir.Runtime.JsonValues.SkipUnknownMember(ref reader, errors);"));
        }
    }

    private void ReadMember(MemberModel member, int index) => BeginMember(member, index, () => code.Line($"{Local(member)} = {JsonCode.Read(member.Read)};"));

    private void BeginMember(MemberModel member, int index, Action readValue)
    {
        var seen = $"ref seen{index / BitsPerWord}, {index % BitsPerWord}";
        code.Block($"if (global::Weir.Runtime.JsonValues.BeginMember(ref reader, errors, {seen}, {JsonCode.Quote(member.JsonName)}))", () =>
        {
            readValue();
            code.Line("errors.Leave();");
        });
    }

    private void Missing()
    {
        for (var index = 0; index < _read.Count; index++)
        {
            var member = _read[index];
            if (IsSetAfterwards(member) || member.Default is "null" or "default")
            {
                continue;
            }

            var action = member.Default is { } value
                ? $"{Local(member)} = {value};"
                : member.Read.IsValueType
                    ? $"errors.Add({JsonCode.Quote(member.JsonName)}, global::Weir.BindingErrorReason.Missing, {JsonCode.Expected(member.Read)});"
                    : $"global::Weir.Runtime.JsonValues.MissingMember(errors, {JsonCode.Quote(member.JsonName)}, {JsonCode.Expected(member.Read)});";
            code.Block($"if (({Seen(index)}) == 0)", () => code.Line(action));
            code.Line();
        }
    }

    private void Make()
    {
        var arguments = string.Join(", ", _read.Where(static member => member.Slot == MemberSlot.Constructor).OrderBy(static member => member.Position).Select(Value));
        var initializer = string.Join(", ", _read.Where(static member => member.Slot == MemberSlot.Initializer).Select(member => $"{Naming.Escape(member.Property)} = {Value(member)}"));
        var make = $"new {model.Type}({arguments})" + (initializer.Length == 0 ? "" : $" {{ {initializer} }}");
        if (!_read.Exists(IsSetAfterwards))
        {
            code.Line($"return {make};");
            return;
        }

        code.Line($"var value = {make};");
        for (var index = 0; index < _read.Count; index++)
        {
            var member = _read[index];
            if (IsSetAfterwards(member))
            {
                // Between host and worker a member is absent because it has the value that is not written.
                var isSent = $"({Seen(index)}) != 0" + (member.Condition is WriteCondition.NotNull or WriteCondition.NotDefault ? " || errors.AcceptsNull" : "");
                code.Block($"if ({isSent})", () => code.Line(member.Accessor is { } accessor
                    ? AccessorEmitter.Call(accessor, member.Property, "value", Value(member)) + ";"
                    : $"value.{Naming.Escape(member.Property)} = {Value(member)};"));
                code.Line();
            }
        }

        code.Line("return value;");
    }

    private static bool IsSetAfterwards(MemberModel member) => member.Slot is MemberSlot.Setter or MemberSlot.Accessor;

    private static string NameIs(MemberModel member) => $"global::Weir.Runtime.JsonValues.NameIs(ref reader, {JsonCode.Quote(member.JsonName)}u8)";

    private static string Seen(int index) => $"seen{index / BitsPerWord} & {1UL << (index % BitsPerWord)}UL";

    // A generic type with annotations may have a type argument without annotations.
    private static string Value(MemberModel member) => Local(member) + (member.Read.IsOblivious ? "!" : "");

    private static string Local(MemberModel member) => "read_" + member.Property;
}
