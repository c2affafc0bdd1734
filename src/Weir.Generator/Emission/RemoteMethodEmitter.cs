using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes one method of a client: it describes the request, and returns what the response becomes.</summary>
/// <param name="code">Where it is written.</param>
/// <param name="operation">The operation.</param>
/// <param name="description">The field that describes it.</param>
/// <param name="field">The field that reads and writes a type.</param>
internal sealed class RemoteMethodEmitter(SourceWriter code, RemoteOperationModel operation, string description, Func<ValueModel, string> field)
{
    private const string Text = "global::Weir.Runtime.ClientText.Of";

    // No parameter may have the name of a local.
    private readonly string _request = Free(operation, "request");
    private readonly string _json = Free(operation, "json");

    // What the name of a local begins with.
    private readonly string _of = FreePrefix(operation);

    /// <summary>Whether a result, or the items of a stream, are bytes that need no JSON.</summary>
    public static bool IsRaw(ResultModel result) =>
        result.Value is { IsBytes: true, IsNullable: false } value && (!result.IsStream || value.Kind == ValueKind.Memory);

    public void Write()
    {
        var isReader = operation.Result is { Kind: "Raw", Value.CoreType: "global::System.IO.Pipelines.PipeReader" };
        var header = ProxyEmitter.Header(operation.Method);
        code.Block(isReader ? "async " + header : header, () =>
        {
            code.Line($"var {_request} = new global::Weir.Runtime.ClientRequest({description});");
            foreach (var part in operation.Path)
            {
                Path(part);
            }

            foreach (var parameter in operation.Parameters.Where(one => !operation.IsInPath(one)))
            {
                Outside(parameter);
            }

            if (operation.HasJsonMembers && operation.Parameters.Any(IsMember))
            {
                Members();
            }

            Return(isReader);
        });
    }

    private bool IsMember(ParameterModel parameter) => operation.HasJsonMembers && parameter.Source == "Value" && !operation.IsInPath(parameter);

    private void Path(PathPartModel part)
    {
        if (part.Parameter is not { } name)
        {
            code.Line($"{_request}.Path({JsonCode.Quote(part.Literal)});");
            return;
        }

        var parameter = operation.Parameters.First(one => one.Name == name);
        var local = Naming.Escape(name);
        var call = part.IsRest ? "Rest" : "Segment";
        if (!parameter.Value.IsNullable)
        {
            if (part.Before.Length > 0)
            {
                code.Line($"{_request}.Path({JsonCode.Quote(part.Before)});");
            }

            code.Line($"{_request}.{call}({JsonCode.Quote(name)}, {(part.IsRest ? TextOf(parameter.Value, local) : ValueOf(parameter.Value, local))});");
        }
        else if (part.Before.Length > 0)
        {
            code.Block($"if ({local} is {{ }} {_of}{name})", () =>
            {
                code.Line($"{_request}.Path({JsonCode.Quote(part.Before)});");
                code.Line($"{_request}.{call}({JsonCode.Quote(name)}, {TextOf(parameter.Value, _of + name)});");
            });
            NullIsDefault(parameter);
        }
        else
        {
            code.Line($"{_request}.{call}({JsonCode.Quote(name)}, {local} is {{ }} {_of}{name} ? {TextOf(parameter.Value, _of + name)} : null!);");
        }
    }

    private void Outside(ParameterModel parameter)
    {
        var local = Naming.Escape(parameter.Name);
        switch (parameter.Source)
        {
            case "Body":
                Present(parameter, () => code.Line($"{_request}.Body({JsonCode.Quote(parameter.Name)}, {field(parameter.Value)}, {local});"));
                break;
            case "Raw" when parameter.Value.IsNullable || !parameter.Value.IsValueType:
                code.Block($"if ({local} is {{ }} {_of}{parameter.Name})", () => code.Line($"{_request}.Raw({_of}{parameter.Name});"));
                break;
            case "Raw":
                code.Line($"{_request}.Raw({local});");
                break;
            case "Stream":
                code.Line($"{_request}.Upload({(parameter.Value.CoreType == "global::System.IO.Pipelines.PipeReader" ? $"{local}.AsStream()" : local)});");
                break;
            case "Items":
                code.Line($"{_request}.Items({JsonCode.Quote(parameter.Name)}, {field(parameter.Value)}, {local});");
                break;
            case "File":
                Files(parameter, local);
                break;
            case "Header":
                Values(parameter, "Header", isJoined: true);
                break;
            case "Form":
                code.Line($"{_request}.Form();");
                Values(parameter, "Form", isJoined: false);
                break;
            default:
                if (!IsMember(parameter))
                {
                    Values(parameter, "Query", isJoined: false);
                }

                break;
        }
    }

    // A file, or a list of files, is sent by the parameter's name; each of all files of a form by its own.
    private void Files(ParameterModel parameter, string local)
    {
        const string Http = "global::Microsoft.AspNetCore.Http.";
        var (file, type) = ($"item_{_of}{parameter.Name}", parameter.Value.CoreType);
        code.Line($"{_request}.Form();");
        if (type == Http + "IFormCollection")
        {
            code.Block($"foreach (var field_{file} in {local})", () => code.Block($"foreach (var text_{file} in field_{file}.Value)", () => code.Line($"{_request}.Form(field_{file}.Key, text_{file} ?? \"\");")));
            code.Line();
        }

        code.Block(type == Http + "IFormFile" ? $"if ({local} is {{ }} {file})" : $"foreach (var {file} in {local}{(type == Http + "IFormCollection" ? ".Files" : "")})", () =>
        {
            var name = type is Http + "IFormCollection" or Http + "IFormFileCollection" ? file + ".Name" : JsonCode.Quote(parameter.WireName);
            code.Line($"{_request}.File({name}, {file}.FileName, {file}.ContentType, {file}.OpenReadStream());");
        });
        code.Line();
    }

    // An optional body is absent where it is null.
    private void Present(ParameterModel parameter, Action write)
    {
        if (parameter.Value is { IsNullable: true } && parameter.Default is null or "null" or "null!" or "default")
        {
            code.Block($"if ({Naming.Escape(parameter.Name)} is not null)", write);
        }
        else
        {
            write();
        }
    }

    // Text in the query, a header or a form, which can only be absent in place of null.
    private void Values(ParameterModel parameter, string call, bool isJoined)
    {
        var local = Naming.Escape(parameter.Name);
        var name = JsonCode.Quote(parameter.WireName);
        if (parameter.IsTextList)
        {
            List(parameter, call, name, isJoined);
        }
        else if (parameter.Value.IsNullable || !parameter.Value.IsValueType)
        {
            code.Block($"if ({local} is {{ }} {_of}{parameter.Name})", () => code.Line($"{_request}.{call}({name}, {TextOf(parameter.Value, _of + parameter.Name)});"));
            NullIsDefault(parameter);
        }
        else
        {
            code.Line($"{_request}.{call}({name}, {(call == "Query" ? ValueOf(parameter.Value, local) : TextOf(parameter.Value, local))});");
        }
    }

    private void List(ParameterModel parameter, string call, string name, bool isJoined)
    {
        var local = Naming.Escape(parameter.Name);
        var element = parameter.Value.Element!;
        var item = $"item_{_of}{parameter.Name}";
        code.Block($"if ({local} is {{ }} {_of}{parameter.Name})", () =>
        {
            if (parameter.Value.IsNullable && !parameter.IsParams)
            {
                code.Block($"if (!global::System.Linq.Enumerable.Any({_of}{parameter.Name}))", () =>
                    code.Line($"{_request}.RefuseNull({JsonCode.Quote(parameter.Name)}, \"null\");"));
                code.Line();
            }

            code.Block($"foreach (var {item} in {_of}{parameter.Name})", () =>
            {
                var value = element.IsNullable ? item + "!" + (element.IsValueType ? ".Value" : "") : item;
                code.Line($"{_request}.{call}{(isJoined ? "Item" : "")}({name}, {TextOf(element, value)});");
            });
        });
        NullIsDefault(parameter);
    }

    // Absent, the server takes the default: null would become another value.
    private void NullIsDefault(ParameterModel parameter)
    {
        if (parameter.Value.IsNullable && parameter.Default is { } value and not ("null" or "null!" or "default") && !parameter.IsParams)
        {
            code.Block("else", () => code.Line($"{_request}.RefuseNull({JsonCode.Quote(parameter.Name)}, {JsonCode.Quote(value)});"));
        }

        code.Line();
    }

    private void Members()
    {
        code.Line($"var {_json} = {_request}.BeginJson();");
        code.Line($"{_json}.WriteStartObject();");
        foreach (var parameter in operation.Parameters.Where(IsMember))
        {
            var local = Naming.Escape(parameter.Name);
            code.Line($"{_json}.WritePropertyName({JsonCode.Quote(parameter.WireName)});");
            if (parameter.Value.IsParsed || parameter.Value.Element is { IsParsed: true })
            {
                Parsed(parameter.Value, local, _of + parameter.Name);
            }
            else if (parameter.IsParams)
            {
                code.Line($"{_request}.Value({JsonCode.Quote(parameter.Name)}, {field(parameter.Value)}, {local} ?? new {parameter.Value.Element!.Type}[0]);");
            }
            else
            {
                code.Line($"{_request}.Value({JsonCode.Quote(parameter.Name)}, {field(parameter.Value)}, {local});");
            }
        }

        code.Line($"{_json}.WriteEndObject();");
        code.Line($"{_request}.EndJson();");
    }

    // A type that parses its own text is text in JSON too.
    private void Parsed(ValueModel value, string expression, string local)
    {
        if (value.Kind == ValueKind.List)
        {
            code.Block($"if ({expression} is {{ }} {local})", () =>
            {
                code.Line($"{_json}.WriteStartArray();");
                code.Block($"foreach (var item_{local} in {local})", () => Parsed(value.Element!, "item_" + local, "present_" + local));
                code.Line();
                code.Line($"{_json}.WriteEndArray();");
            });
            code.Block("else", () => code.Line($"{_json}.WriteNullValue();"));
        }
        else if (value.IsNullable || !value.IsValueType)
        {
            code.Block($"if ({expression} is {{ }} {local})", () => code.Line($"{_json}.WriteStringValue({TextOf(value, local)});"));
            code.Block("else", () => code.Line($"{_json}.WriteNullValue();"));
        }
        else
        {
            code.Line($"{_json}.WriteStringValue({TextOf(value, expression)});");
        }
    }

    private void Return(bool isReader)
    {
        var token = operation.Method.Parameters.FirstOrDefault(static one => one.IsToken)?.Name ?? "global::System.Threading.CancellationToken.None";
        var (result, conversion) = (operation.Result, operation.Method.IsTask ? ".AsTask()" : "");
        var suppression = result.Value is { IsOblivious: true } ? "!" : "";
        if (isReader)
        {
            code.Line(result.Value!.IsNullable
                ? $"return await this._client.OpenOrNullAsync({_request}, {token}).ConfigureAwait(false) is {{ }} {_of}content ? global::System.IO.Pipelines.PipeReader.Create({_of}content) : null{suppression};"
                : $"return global::System.IO.Pipelines.PipeReader.Create(await this._client.OpenAsync({_request}, {token}).ConfigureAwait(false));");
            return;
        }

        var call = result switch
        {
            { Value: null } => $"CallAsync({_request}, {token})",
            { Kind: "Raw", Value.IsNullable: true } => $"OpenOrNullAsync({_request}, {token})",
            { Kind: "Raw" } => $"OpenAsync({_request}, {token})",
            { IsStream: true } when IsRaw(result) => $"StreamAsync({_request}, {token})",
            { IsStream: true } when operation.Resumption == "Source" => $"ResumeAsync({_request}, {field(result.Value!)}, {Naming.Escape("from")}, {token})",
            { IsStream: true } when operation.Resumption == "Buffer" => $"ResumeAsync({_request}, {field(result.Value!)}, {token})",
            { IsStream: true } => $"StreamAsync({_request}, {field(result.Value!)}, {token})",
            _ when IsRaw(result) => $"{(result.Value!.Kind == ValueKind.Memory ? "CallMemoryAsync" : "CallBytesAsync")}({_request}, {token})",
            _ => $"CallAsync({_request}, {field(result.Value!)}, {token})",
        };
        code.Line($"return this._client.{call}{(result.IsStream ? "" : conversion)}{suppression};");
    }

    // Whole numbers need no text of their own on their way into the address.
    private static string ValueOf(ValueModel value, string expression) =>
        value is { IsNullable: false, CoreType: "byte" or "sbyte" or "short" or "ushort" or "int" or "uint" or "long" } ? expression : TextOf(value, expression);

    private static string TextOf(ValueModel value, string expression) =>
        value.Kind == ValueKind.Scalar && !value.IsParsed && !value.Codec.StartsWith("global::", StringComparison.Ordinal)
            ? $"{value.Codec}.Text({expression})"
            : $"{Text}{(value.IsWritten ? "" : "Unwritten")}({expression})";

    private static string FreePrefix(RemoteOperationModel operation)
    {
        var prefix = "of_";
        while (operation.Method.Parameters.Any(one => one.Name.Contains(prefix)))
        {
            prefix = "_" + prefix;
        }

        return prefix;
    }

    private static string Free(RemoteOperationModel operation, string name)
    {
        while (operation.Method.Parameters.Any(one => one.Name.TrimStart('@') == name))
        {
            name += "_";
        }

        return name;
    }
}
