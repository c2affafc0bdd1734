using System.Buffers;
using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Json;
using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>Who makes a call: the part of a CALL with identities and claims. Tickets, tokens, properties, bootstrap contexts and actors are not in it.</summary>
/// <remarks>
/// <code>
///  {"identities":[{"authenticationType":"Bearer","nameType":"name","roleType":"role","claims":[{"type":"name","value":"ann","valueType":"…","issuer":"…"}]}]}
/// </code>
/// Without <c>authenticationType</c> an identity is not authenticated; <c>valueType</c> and <c>issuer</c> are absent where they are the defaults of a claim. Members that
/// are not known are skipped.
/// </remarks>
internal static class CallerPayload
{
    /// <summary>The most bytes of the part.</summary>
    public const int MostBytes = 64 * 1024;

    private const string DefaultValueType = ClaimValueTypes.String;
    private const string DefaultIssuer = ClaimsIdentity.DefaultIssuer;

    // Where an identity is authenticated by something that has no name: without a type it would not be authenticated.
    private const string UnnamedType = "Unnamed";

    // It is read by JSON readers only, and text beyond ASCII would take twice the bytes.
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    /// <summary>Writes the part. What is longer than <see cref="MostBytes"/> may not be sent.</summary>
    public static byte[] Write(ClaimsPrincipal caller)
    {
        // Bounded by what the principal has in memory.
        var bytes = new ArrayBufferWriter<byte>(1024);
        using (var json = new Utf8JsonWriter(bytes, Options))
        {
            json.WriteStartObject();
            json.WriteStartArray("identities"u8);
            foreach (var identity in caller.Identities)
            {
                Write(json, identity);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>Reads the part.</summary>
    /// <exception cref="FrameException">It is no caller.</exception>
    public static ClaimsPrincipal Read(ReadOnlySpan<byte> part)
    {
        if (part.Length > MostBytes)
        {
            throw Malformed($"it has {part.Length} bytes, and at most {MostBytes} are allowed");
        }

        var json = new Utf8JsonReader(part);
        try
        {
            var identities = ReadCaller(ref json);
            return json.Read() ? throw Malformed("something follows the object") : new ClaimsPrincipal(identities);
        }
        catch (Exception failure) when (failure is JsonException or InvalidOperationException)
        {
            throw Malformed(failure.Message);
        }
    }

    private static void Write(Utf8JsonWriter json, ClaimsIdentity identity)
    {
        json.WriteStartObject();
        if (identity.IsAuthenticated)
        {
            json.WriteString("authenticationType"u8, string.IsNullOrEmpty(identity.AuthenticationType) ? UnnamedType : identity.AuthenticationType);
        }

        json.WriteString("nameType"u8, identity.NameClaimType);
        json.WriteString("roleType"u8, identity.RoleClaimType);
        json.WriteStartArray("claims"u8);
        foreach (var claim in identity.Claims)
        {
            json.WriteStartObject();
            json.WriteString("type"u8, claim.Type);
            json.WriteString("value"u8, claim.Value);
            if (claim.ValueType != DefaultValueType)
            {
                json.WriteString("valueType"u8, claim.ValueType);
            }

            if (claim.Issuer != DefaultIssuer)
            {
                json.WriteString("issuer"u8, claim.Issuer);
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    // The claims are in the array that the part has room for: 64 KB bound all lists.
    private static List<ClaimsIdentity> ReadCaller(ref Utf8JsonReader json)
    {
        List<ClaimsIdentity>? identities = null;
        json.Read();
        Require(json, JsonTokenType.StartObject);
        while (NextMember(ref json))
        {
            if (!json.ValueTextEquals("identities"u8))
            {
                json.Skip();
                continue;
            }

            if (identities is not null)
            {
                throw Malformed("it has two lists of identities");
            }

            identities = [];
            json.Read();
            Require(json, JsonTokenType.StartArray);
            while (NextItem(ref json))
            {
                identities.Add(ReadIdentity(ref json));
            }
        }

        return identities ?? throw Malformed("it has no identities");
    }

    private static ClaimsIdentity ReadIdentity(ref Utf8JsonReader json)
    {
        string? authenticationType = null, nameType = null, roleType = null;
        var claims = new List<Claim>();
        while (NextMember(ref json))
        {
            if (json.ValueTextEquals("authenticationType"u8))
            {
                authenticationType = Text(ref json);
            }
            else if (json.ValueTextEquals("nameType"u8))
            {
                nameType = Text(ref json);
            }
            else if (json.ValueTextEquals("roleType"u8))
            {
                roleType = Text(ref json);
            }
            else if (json.ValueTextEquals("claims"u8))
            {
                json.Read();
                Require(json, JsonTokenType.StartArray);
                while (NextItem(ref json))
                {
                    claims.Add(ReadClaim(ref json));
                }
            }
            else
            {
                json.Skip();
            }
        }

        return new ClaimsIdentity(claims, authenticationType, nameType, roleType);
    }

    private static Claim ReadClaim(ref Utf8JsonReader json)
    {
        string? type = null, value = null, valueType = null, issuer = null;
        while (NextMember(ref json))
        {
            if (json.ValueTextEquals("type"u8))
            {
                type = Text(ref json);
            }
            else if (json.ValueTextEquals("value"u8))
            {
                value = Text(ref json);
            }
            else if (json.ValueTextEquals("valueType"u8))
            {
                valueType = Text(ref json);
            }
            else if (json.ValueTextEquals("issuer"u8))
            {
                issuer = Text(ref json);
            }
            else
            {
                json.Skip();
            }
        }

        return new Claim(type ?? throw Malformed("a claim has no type"), value ?? throw Malformed("a claim has no value"), valueType, issuer);
    }

    // The name of the next member of an object, or its end.
    private static bool NextMember(ref Utf8JsonReader json) => json.Read() && json.TokenType == JsonTokenType.PropertyName;

    // The next object of an array, or its end.
    private static bool NextItem(ref Utf8JsonReader json)
    {
        json.Read();
        if (json.TokenType == JsonTokenType.EndArray)
        {
            return false;
        }

        Require(json, JsonTokenType.StartObject);
        return true;
    }

    private static string? Text(ref Utf8JsonReader json)
    {
        json.Read();
        return json.TokenType == JsonTokenType.Null ? null : json.GetString();
    }

    private static void Require(in Utf8JsonReader json, JsonTokenType type)
    {
        if (json.TokenType != type)
        {
            throw Malformed($"{json.TokenType} at byte {json.TokenStartIndex} is no {type}");
        }
    }

    private static FrameException Malformed(string detail) => new(FrameError.MalformedPayload, $"{FrameType.Call}: the caller: {detail}");
}
