// An agent on the official SDKs: several conversations at once over three APIs, plain and streamed, with a tool.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const openai = new OpenAI();
const anthropic = new Anthropic();
const place = process.argv[2] ?? "Oslo";
const tool = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

async function streamedChat(number) {
  const messages = [{ role: "user", content: `weather in ${place}, ${number}?` }];
  for (;;) {
    const stream = openai.chat.completions.stream({ model: "m", messages, tools: [tool] });
    const message = (await stream.finalChatCompletion()).choices[0].message;
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const call of message.tool_calls) {
      const { city } = JSON.parse(call.function.arguments);
      messages.push({ role: "tool", tool_call_id: call.id, content: `it rains in ${city}` });
    }
  }
}

async function plainMessages(number) {
  const messages = [{ role: "user", content: `first ${number}` }];
  const first = await anthropic.messages.create({ model: "m", max_tokens: 9, messages });
  messages.push({ role: "assistant", content: first.content }, { role: "user", content: `second ${number}` });
  return (await anthropic.messages.create({ model: "m", max_tokens: 9, messages })).content[0].text;
}

async function streamedMessages(number) {
  const pieces = [];
  const messages = [{ role: "user", content: `alone ${number}` }];
  await anthropic.messages.stream({ model: "m", max_tokens: 9, messages }).on("text", (text) => pieces.push(text)).done();
  return pieces;
}

async function responses(number) {
  return (await openai.responses.create({ model: "m", input: `ask ${number}` })).output_text;
}

const each = [0, 1].flatMap((number) => [streamedChat, plainMessages, streamedMessages, responses].map((run) => run(number)));
console.log(JSON.stringify(await Promise.all(each), null, 1));
