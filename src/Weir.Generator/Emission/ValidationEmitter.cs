using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes how arguments are validated: the attributes are constructed once, and evaluated by their own code.</summary>
internal static class ValidationEmitter
{
    private const string Attribute = "global::System.ComponentModel.DataAnnotations.ValidationAttribute";
    private const string Validator = "global::Weir.Runtime.ArgumentValidator";
    private const string Suppression =
        "[global::System.Diagnostics.CodeAnalysis.UnconditionalSuppressMessage(\"Trimming\", \"IL2026\", Justification = \"The length of text, arrays and ICollection is read without reflection.\")]";

    /// <summary>Writes the members of a call that validate its arguments; nothing where there is nothing to validate.</summary>
    public static void Arguments(SourceWriter code, OperationModel operation)
    {
        if (!operation.HasValidation)
        {
            return;
        }

        code.Block($"protected override void ValidateArguments({Validator} validator)", () =>
        {
            for (var index = 0; index < operation.Parameters.Count; index++)
            {
                if (operation.Parameters[index] is { Validation: { } validation } parameter)
                {
                    Argument(code, parameter, validation, index);
                }
            }
        });
        code.Line();
        var lists = operation.Parameters.Where(static one => one.Validation?.Attributes.Count > 0).Select(static one => (one.Name, one.Validation!.Attributes)).ToList();
        if (lists.Count > 0)
        {
            Lists(code, "ArgumentAttributes", lists);
            code.Line();
        }
    }

    /// <summary>Writes the members of the codec of a streamed request that validate an item; nothing where there is nothing to validate.</summary>
    public static void Item(SourceWriter code, ParameterModel items)
    {
        if (items.Validation?.Inside is not { } inside)
        {
            return;
        }

        code.Line();
        code.Line("public override bool IsValidated => true;");
        code.Line();
        code.Block($"public override void Validate({items.Value.Type} item, {Validator} validator)", () => Inside(code, inside, "item", "validator", 0));
    }

    /// <summary>Writes the class that validates values of a type.</summary>
    public static void Write(SourceWriter code, ValidatorModel model)
    {
        code.Block($"internal static class {model.Codec}", () =>
        {
            code.Block($"internal static void Validate({model.Type}{(model.IsValueType ? "" : "?")} value, {Validator} validator)", () => Body(code, model));
            code.Line();
            code.Block("private static string JsonName(string member) => member switch", () =>
            {
                foreach (var member in model.Names)
                {
                    code.Line($"{JsonCode.Quote(member.Property)} => {JsonCode.Quote(member.JsonName)},");
                }

                code.Line("_ => member,");
            }, "};");
            var lists = model.Members.Select(static one => ("Of_" + one.Property, one.Validation.Attributes)).Prepend(("OfType", model.Attributes)).Where(static one => one.Item2.Count > 0).ToList();
            if (lists.Count > 0)
            {
                code.Line();
                Lists(code, "Attributes", lists);
            }
        });
    }

    private static void Argument(SourceWriter code, ParameterModel parameter, ValidationModel validation, int index)
    {
        var name = JsonCode.Quote(parameter.WireName);
        if (parameter.IsItems)
        {
            code.Line($"{parameter.Field} = validator.Items({parameter.Field}, ItemsCodec.Instance, {name});");
            return;
        }

        code.Block($"if (validator.BeginArgument({index}, {name}))", () =>
        {
            if (validation.Attributes.Count > 0)
            {
                code.Line($"validator.CheckArgument({JsonCode.Quote(parameter.Name)}, {JsonCode.Quote(validation.DisplayName)}, {parameter.Field}, ArgumentAttributes.{Naming.Escape(parameter.Name)});");
            }

            if (validation.Inside is { } inside)
            {
                Inside(code, inside, parameter.Field, "validator", 0);
            }

            code.Line("validator.Leave();");
        });
        code.Line();
    }

    private static void Body(SourceWriter code, ValidatorModel model)
    {
        if (!model.IsValueType)
        {
            code.Block("if (value is null)", () => code.Line("return;"));
            code.Line();
        }

        foreach (var derived in model.Derived)
        {
            code.Block($"if (value is {derived.Type} of_{derived.Validator})", () =>
            {
                code.Line($"{derived.Validator}.Validate(of_{derived.Validator}, validator);");
                code.Line("return;");
            });
            code.Line();
        }

        code.Block($"if (!validator.BeginObject(value, {JsonCode.Quote(model.DisplayName)}, static member => JsonName(member), out var scope))", () => code.Line("return;"));
        code.Line();
        foreach (var member in model.Members)
        {
            Member(code, member);
        }

        if (model.Attributes.Count > 0)
        {
            code.Line("validator.CheckType(scope, Attributes.OfType);");
        }

        if (model.IsValidatable)
        {
            code.Line("validator.CheckSelf(scope);");
        }

        code.Line("validator.EndObject();");
    }

    private static void Member(SourceWriter code, ValidatedMember member)
    {
        var value = "value." + Naming.Escape(member.Property);
        var validation = member.Validation;
        if (validation.Attributes.Count > 0)
        {
            code.Line($"validator.CheckMember(scope, {JsonCode.Quote(member.Property)}, {JsonCode.Quote(validation.DisplayName)}, {value}, Attributes.Of_{member.Property});");
        }

        if (validation.Inside is { } inside)
        {
            code.Line($"validator.Enter({JsonCode.Quote(member.JsonName)});");
            Inside(code, inside, value, "validator", 0);
            code.Line("validator.Leave();");
        }
    }

    private static void Inside(SourceWriter code, ValidatedShape shape, string value, string validator, int depth)
    {
        var (item, inner) = ($"item{depth}", $"validator{depth}");

        // A variable of a condition is one of the whole method.
        var present = "present_" + string.Concat(value.Select(static one => char.IsLetterOrDigit(one) ? one : '_'));
        switch (shape)
        {
            case ValidatedObject { IsNullableValue: true } one:
                code.Block($"if ({value} is {{ }} {present})", () => code.Line($"{one.Validator}.Validate({present}, {validator});"));
                break;
            case ValidatedObject one:
                code.Line($"{one.Validator}.Validate({value}, {validator});");
                break;
            case ValidatedList list:
                if (list.IsImmutableArray)
                {
                    code.Block($"if ({value} is {{ IsDefault: false }} {present})", () => Each(present));
                }
                else
                {
                    Each(value);
                }

                void Each(string items) =>
                    code.Block($"{validator}.Each<{list.Item}>({items}, static ({item}, {inner}) =>", () => Inside(code, list.Element, item, inner, depth + 1), "});");
                break;
            case ValidatedDictionary dictionary:
                code.Block($"{validator}.EachValue<{dictionary.Key}, {dictionary.Value}>({value}, static ({item}, {inner}) =>", () => Inside(code, dictionary.Element, item, inner, depth + 1), "});");
                break;
        }
    }

    // In a class of their own, so that they are constructed when they are evaluated first.
    private static void Lists(SourceWriter code, string name, IReadOnlyList<(string Name, EquatableArray<ValidationAttributeModel> Attributes)> lists) => code.Block($"private static class {name}", () =>
    {
        foreach (var (list, attributes) in lists)
        {
            if (attributes.Any(static one => one.ReadsLength))
            {
                code.Line($"internal static readonly {Attribute}[] {Naming.Escape(list)} = Make_{list}();");
            }
            else
            {
                code.Line($"internal static readonly {Attribute}[] {Naming.Escape(list)} = new {Attribute}[] {{ {All(attributes)} }};");
            }
        }

        foreach (var (list, attributes) in lists.Where(static one => one.Attributes.Any(static attribute => attribute.ReadsLength)))
        {
            code.Line();
            code.Line(Suppression);
            code.Line($"private static {Attribute}[] Make_{list}() => new {Attribute}[] {{ {All(attributes)} }};");
        }
    });

    private static string All(EquatableArray<ValidationAttributeModel> attributes) => string.Join(", ", attributes.Select(static one => one.Code));
}
